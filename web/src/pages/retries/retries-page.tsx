// A set of sends to be retried: gathered and looked at by the server while one watches, then retried once somebody confirms exactly these. Its
// address survives a reload, and confirming twice changes nothing.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { confirmRetries, isWorking, retriesQuery, type Retries } from '../../api/failures.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts, type Texts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Sum } from '../../parts/figure/sum.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Failed } from '../../parts/panel/failed.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { LeftOut, SetStanding } from '../../parts/set/set-standing.tsx';
import { Time } from '../../parts/time/time.tsx';
import styles from './retries.module.css';

const route = getRouteApi('/failures/retries/$token');

export function RetriesPage() {
  const text = useTexts();
  const { token } = route.useParams();
  const query = useQuery(retriesQuery(token));
  return (
    <>
      <PageHead
        title={text('retries.title')}
        facts={
          <Link to="/failures" search={{}}>
            {text('page.failures')}
          </Link>
        }
      />
      <Panel query={query} rows={3}>
        {(retries) => (
          <div className={styles.parts}>
            <SetStanding set={retries} word={stateWord(retries, text)} />
            <Found retries={retries} />
            <LeftOut leftOut={retries.leftOut} />
            <Confirm retries={retries} />
          </div>
        )}
      </Panel>
    </>
  );
}

const stateWord = ({ state, asked: { done, of } }: Retries, text: Texts): string =>
  text(`retries.state.${state}`, { done: wholeText(done), of: wholeText(of) });

/** found = to retry, or retried + left out */
function Found({ retries: { found, state, retry, retried, leftOut, due } }: { readonly retries: Retries }) {
  const text = useTexts();
  if (state === 'gathering' || state === 'asking') return null;
  const out = Object.values(leftOut).reduce((sum, count) => sum + count, 0);
  const isConfirmed = state === 'retrying' || state === 'done';
  const waits = isConfirmed ? found - out - retried : 0;
  return (
    <div>
      <Sum
        name={text('plan.sends')}
        whole={{ word: text('retries.found'), value: found }}
        terms={[
          isConfirmed
            ? { word: text('retries.retried'), value: retried, always: true, colour: 'var(--state-sent)' }
            : { word: text('retries.toRetry'), value: retry, always: true, colour: 'var(--state-under-way)' },
          { word: text('retries.waiting'), value: Math.max(0, waits) },
          { word: text('retries.leftOut'), value: out, always: true, colour: 'var(--state-left-out)' },
        ]}
      />
      {due !== null && (
        <p className={styles.quiet}>
          {text('retries.wouldLeave')} <Time at={due.first} seconds short /> – <Time at={due.last} seconds />
          {due.deferred > 0 && ` · ${text('retries.deferred', { count: wholeText(due.deferred) })}`}
        </p>
      )}
    </div>
  );
}

function Confirm({ retries }: { readonly retries: Retries }) {
  const text = useTexts();
  const may = useMay();
  const client = useQueryClient();
  const { token, state, retry } = retries;
  const confirm = useMutation({
    // The set is its own key: confirming it twice does nothing twice.
    mutationFn: () => confirmRetries(token, token),
    onSuccess: () => client.invalidateQueries(),
  });
  if (!may('post /v1/retries')) return null;
  return (
    <div>
      {state === 'ready' && retry > 0 && (
        <Button variant="filled" loading={confirm.isPending} onClick={() => confirm.mutate()}>
          {text('retries.button', { count: wholeText(retry) })}
        </Button>
      )}
      {state === 'ready' && retry === 0 && <p>{text('retries.nothing')}</p>}
      {state === 'expired' && <p>{text('retries.again')}</p>}
      {isWorking(retries) && <p className={styles.quiet}>{text('retries.stay')}</p>}
      {confirm.error !== null && <Failed error={confirm.error} />}
    </div>
  );
}
