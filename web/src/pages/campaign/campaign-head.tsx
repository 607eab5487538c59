// The head of a campaign: its state and names, the facts in a line, and one sentence why it stands so.
import type { WholeCampaign } from '../../api/campaigns.ts';
import { useTexts } from '../../i18n/text.ts';
import { CopyId } from '../../parts/copy/copy-id.tsx';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { CampaignStateMark } from '../../parts/state/state.tsx';
import { Time } from '../../parts/time/time.tsx';
import { CampaignActs } from './campaign-acts.tsx';
import styles from './campaign.module.css';

export function CampaignHead({ campaign }: { readonly campaign: WholeCampaign }) {
  const text = useTexts();
  const { name, campaignId, serviceId, revision, revisions, stateAt, nextDueAt } = campaign;
  const messageType = revisions.find((one) => one.revision === revision)?.messageType ?? null;
  return (
    <>
      <PageHead
        title={name ?? campaignId}
        mark={<CampaignStateMark campaign={campaign} />}
        facts={
          <>
            <CopyId id={campaignId} />
            <span>{serviceId}</span>
            <span>{text('campaign.revision', { revision })}</span>
            {messageType !== null && <span>{text.word(`messageType.${messageType}`, messageType)}</span>}
            <span>
              {text('campaign.since')} <Time at={stateAt} relative />
            </span>
            {nextDueAt !== null && (
              <span>
                {text('campaign.nextDue')} <Time at={nextDueAt} relative />
              </span>
            )}
          </>
        }
        acts={<CampaignActs campaign={campaign} />}
      />
      <Why campaign={campaign} />
    </>
  );
}

function Why({ campaign }: { readonly campaign: WholeCampaign }) {
  const text = useTexts();
  const { code, detail, attention, waitingFor, acts } = campaign;
  const running = acts.filter(({ isDone }) => !isDone);
  return (
    <div className={styles.why}>
      {attention === null ? (
        code !== null && <Reason code={code} detail={detail} />
      ) : (
        <p className={styles.attention}>
          <Reason code={attention.code} detail={attention.text} />
        </p>
      )}
      {waitingFor !== null && (
        <p>
          {text(`waiting.${waitingFor.what}`, {
            ids: wholeText(waitingFor.ids ?? 0),
            known: wholeText(waitingFor.lookedUp ?? 0),
            left: wholeText(waitingFor.toLookUp ?? 0),
          })}{' '}
          {text('waiting.until')} <Time at={waitingFor.until} />
        </p>
      )}
      {running.map(({ act, by, at, moved, left, occurrence }) => (
        <p key={`${act} ${at}`}>
          {text('campaign.actRuns', {
            act: text.word(`act.${act}`, act),
            of: occurrence ?? text('campaign.all'),
            moved: wholeText(moved),
            left: wholeText(left),
          })}{' '}
          <span className={styles.quiet}>
            {by} · <Time at={at} seconds />
          </span>
        </p>
      ))}
    </div>
  );
}
