// One send: what it is, on one line of time with the gaps between, the calls that were made for it, and its history. Recipients are never shown: the
// API does not tell them.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { attemptsQuery, sendQuery } from '../../api/sends.ts';
import { useTexts } from '../../i18n/text.ts';
import { CopyId, shortId } from '../../parts/copy/copy-id.tsx';
import { Figure } from '../../parts/figure/figure.tsx';
import { ChangeTable } from '../../parts/history/change-table.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { SendStateMark } from '../../parts/state/state.tsx';
import { AttemptTable } from './attempt-table.tsx';
import { ResolveSend, type ResolveSendProps } from './resolve-send.tsx';
import { TimeLine } from './time-line.tsx';
import styles from './send.module.css';

const route = getRouteApi('/sends/$id');

export function SendPage() {
  const text = useTexts();
  const { id } = route.useParams();
  const query = useQuery(sendQuery(id));
  const attempts = useQuery(attemptsQuery(id));
  return (
    <Panel query={query} rows={6}>
      {(send) => (
        <div className={styles.parts}>
          <div>
            <SendHead send={send} attempts={attempts.data?.items ?? []} />
            <TimeLine send={send} />
          </div>
          <Panel
            title={text('send.calls')}
            query={attempts}
            empty={({ items }) => (items.length > 0 ? undefined : <Empty>{text('send.noCalls')}</Empty>)}
          >
            {({ items }) => <AttemptTable attempts={items.toReversed()} />}
          </Panel>
          <section>
            <h2>{text('history.title')}</h2>
            <ChangeTable changes={send.history} of="send" />
          </section>
        </div>
      )}
    </Panel>
  );
}

function SendHead({ send, attempts }: ResolveSendProps) {
  const text = useTexts();
  const { id, campaign, campaignId, zone, mode, rule, code, detail, target, sent, requestId, retryOf } = send;
  return (
    <>
      <PageHead
        title={text('send.title', { id: shortId(id) })}
        mark={<SendStateMark state={send.state} />}
        facts={
          <>
            <CopyId id={id} />
            <Link to="/campaigns/$id" params={{ id: campaign }} search={{}}>
              {campaignId ?? shortId(campaign)}
            </Link>
            <span>{zone}</span>
            <span>{text.word(`mode.${mode}`, mode)}</span>
            {requestId !== null && (
              <span>
                {text('send.requestId')} <CopyId id={requestId} />
              </span>
            )}
            {target !== null && (
              <span>
                {text('send.devices')} <Figure value={sent} /> / <Figure value={target} />
              </span>
            )}
            {retryOf !== null && (
              <Link to="/sends/$id" params={{ id: retryOf }}>
                {text('send.retryOf', { id: shortId(retryOf) })}
              </Link>
            )}
          </>
        }
        acts={<ResolveSend send={send} attempts={attempts} />}
      />
      <p className={styles.why}>
        <Reason code={code ?? rule} detail={detail} />
      </p>
    </>
  );
}
