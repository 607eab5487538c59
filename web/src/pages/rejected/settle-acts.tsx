// The two ways to settle a refused event that need no text: replayed as it came, since what hindered it may be gone, or discarded with a reason.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { judgeEvent, type Judged } from '../../api/events.ts';
import {
  discardRejection,
  replayRejection,
  type SettledRejection,
  type WholeRejection,
} from '../../api/rejections.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { ActionSheet } from '../../parts/act/action-sheet.tsx';
import { ProblemList } from './problem-list.tsx';

export function SettleActs({ rejection }: { readonly rejection: WholeRejection }) {
  const text = useTexts();
  const may = useMay();
  const [open, setOpen] = useState<'replay' | 'discard'>();
  if (rejection.state !== 'open' || !may('post /v1/rejections/{id}/replay')) return null;
  const close = (): void => setOpen(undefined);
  const subject = rejection.seen.subject ?? rejection.id;
  return (
    <>
      <Button onClick={() => setOpen('replay')}>{text('rejected.replayAsIs')}…</Button>
      <Button onClick={() => setOpen('discard')}>{text('rejected.discard')}…</Button>
      {open === 'replay' && (
        <ActionSheet<Judged | null, SettledRejection>
          title={text('rejected.replayAsIs')}
          subject={subject}
          onClose={close}
          // Without the role of publishers, or the text, nobody can say beforehand what would become of it.
          preview={() =>
            rejection.event === null || !may('post /v1/events')
              ? Promise.resolve(null)
              : judgeEvent(rejection.event)
          }
          shows={(judged) => <Foreseen judged={judged} />}
          button={() => text('rejected.replay')}
          act={(key) => replayRejection({ id: rejection.id }, key)}
          came={(settled) => <ReplayedWords settled={settled} />}
        />
      )}
      {open === 'discard' && (
        <ActionSheet<null, SettledRejection>
          title={text('rejected.discard')}
          subject={subject}
          onClose={close}
          isDangerous
          takesReason
          preview={() => Promise.resolve(null)}
          shows={() => <p>{text('rejected.discardMeans')}</p>}
          button={() => text('rejected.discard')}
          act={(key, reason) => discardRejection(rejection.id, reason, key)}
          came={() => <p>{text('rejected.discarded')}</p>}
        />
      )}
    </>
  );
}

function Foreseen({ judged }: { readonly judged: Judged | null }) {
  const text = useTexts();
  if (judged === null) return <p>{text('rejected.replayMeans')}</p>;
  if (judged.problems.length === 0) {
    return (
      <p>
        {text(`rejected.verdict.${judged.verdict}`)} {text('rejected.linked')}
      </p>
    );
  }
  return (
    <>
      <p>{text('rejected.stillRefused')}</p>
      <ProblemList problems={judged.problems} />
    </>
  );
}

export function ReplayedWords({
  settled: { state, replay, problems },
}: {
  readonly settled: SettledRejection;
}) {
  const text = useTexts();
  if (state !== 'replayed') return <ProblemList problems={problems} />;
  return (
    <p>
      {text('rejected.taken')}{' '}
      {replay?.campaignId !== null && replay?.campaignId !== undefined && (
        <Link to="/campaigns/$id" params={{ id: replay.campaignId }} search={{}}>
          {text('rejected.toCampaign')} ›
        </Link>
      )}
    </p>
  );
}
