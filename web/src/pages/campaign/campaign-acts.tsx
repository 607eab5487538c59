// What can be done to a campaign: a button for each act, which opens a sheet that counts first. `p` pauses or resumes.
import { Button, Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { doAct, previewAct, type Act, type AskedAct, type ActTaken } from '../../api/acts.ts';
import type { GuardedRoute } from '../../api/may.ts';
import type { WholeCampaign } from '../../api/campaigns.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { ActionSheet } from '../../parts/act/action-sheet.tsx';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { isTyping } from '../../parts/keys.ts';
import { ActCounts } from './act-counts.tsx';
import { possibleActs } from './possible-acts.ts';

const routeOf = (act: Act): GuardedRoute => `post /v1/campaigns/{id}/${act}`;

export function CampaignActs({ campaign }: { readonly campaign: WholeCampaign }) {
  const text = useTexts();
  const may = useMay();
  const [open, setOpen] = useState<Act>();
  const acts = possibleActs(campaign).filter(({ act }) => may(routeOf(act)));
  const onP = acts.find(
    ({ act, hindrance }) => (act === 'pause' || act === 'resume') && hindrance === undefined,
  )?.act;
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'p' || onP === undefined || isTyping(event)) return;
      event.preventDefault();
      setOpen(onP);
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [onP]);
  return (
    <>
      {acts.map(({ act, hindrance }) => (
        <Tooltip
          key={act}
          label={hindrance === undefined ? '' : text(hindrance)}
          disabled={hindrance === undefined}
        >
          <Button
            variant={act === 'approve' ? 'filled' : 'default'}
            {...(hindrance !== undefined && { 'data-disabled': true, 'aria-disabled': true })}
            onClick={() => hindrance === undefined && setOpen(act)}
          >
            {text.word(`act.${act}`, act)}…
          </Button>
        </Tooltip>
      ))}
      {open !== undefined && <Sheet campaign={campaign} act={open} close={() => setOpen(undefined)} />}
    </>
  );
}

interface SheetProps {
  readonly campaign: WholeCampaign;
  readonly act: Act;
  readonly close: () => void;
}

function Sheet({ campaign, act, close }: SheetProps) {
  const text = useTexts();
  const asked = askedOf(campaign, act);
  return (
    <ActionSheet<ActTaken, ActTaken>
      title={text(`act.title.${act}`)}
      subject={`${campaign.name ?? campaign.campaignId} · ${campaign.serviceId}`}
      isDangerous={act === 'cancel' || act === 'decline'}
      takesReason
      onClose={close}
      preview={() => previewAct(asked)}
      shows={(taken) => <ActCounts taken={taken} isDone={false} />}
      button={({ preview }) => {
        const count = (preview?.atOnce ?? 0) + (preview?.askedOfPushService ?? 0);
        return count === 0
          ? text.word(`act.${act}`, act)
          : text(`act.button.${act}`, { count: wholeText(count) });
      }}
      act={(key, reason) => doAct({ ...asked, ...(reason !== '' && { reason }) }, key)}
      came={(taken) => <ActCounts taken={taken} isDone />}
    />
  );
}

/** Approving and declining name the revision that is on the page. */
function askedOf({ id, revision, revisions }: WholeCampaign, act: Act): AskedAct {
  const seen = revisions.find((one) => one.revision === revision);
  if ((act === 'approve' || act === 'decline') && seen !== undefined) {
    return { campaign: id, act, seen: { revision: seen.revision, hash: seen.hash } };
  }
  return { campaign: id, act };
}
