// A set of uncertain sends to be settled alike: gathered while one watches, then resolved once somebody confirms exactly these. Its address
// survives a reload, and confirming twice changes nothing.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { confirmResolves, resolvesQuery, type Resolves } from '../../api/resolves.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Sum } from '../../parts/figure/sum.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Failed } from '../../parts/panel/failed.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { LeftOut, SetStanding } from '../../parts/set/set-standing.tsx';
import styles from './resolves.module.css';

const route = getRouteApi('/failures/resolves/$token');

export function ResolvesPage() {
  const text = useTexts();
  const { token } = route.useParams();
  const query = useQuery(resolvesQuery(token));
  return (
    <>
      <PageHead
        title={text('resolves.title')}
        facts={
          <Link to="/failures" search={{ state: 'uncertain' }}>
            {text('page.failures')}
          </Link>
        }
      />
      <Panel query={query} rows={3}>
        {(set) => (
          <div className={styles.parts}>
            <SetStanding set={set} word={text(`resolves.state.${set.state}`)}>
              <p>
                {text(`resolve.${set.resolution}`)}
                {set.reason !== null && ` · ${set.reason}`}
              </p>
            </SetStanding>
            <Found set={set} />
            <LeftOut leftOut={set.leftOut} />
            <Confirm set={set} />
          </div>
        )}
      </Panel>
    </>
  );
}

/** found = to resolve, or resolved + left out */
function Found({ set: { found, state, resolve, resolved, leftOut } }: { readonly set: Resolves }) {
  const text = useTexts();
  if (state === 'gathering') return null;
  const out = Object.values(leftOut).reduce((sum, count) => sum + count, 0);
  const isConfirmed = state === 'resolving' || state === 'done';
  return (
    <Sum
      name={text('plan.sends')}
      whole={{ word: text('retries.found'), value: found }}
      terms={[
        isConfirmed
          ? { word: text('resolves.resolved'), value: resolved, always: true, colour: 'var(--state-sent)' }
          : {
              word: text('resolves.toResolve'),
              value: resolve,
              always: true,
              colour: 'var(--state-under-way)',
            },
        { word: text('retries.waiting'), value: isConfirmed ? Math.max(0, found - out - resolved) : 0 },
        { word: text('retries.leftOut'), value: out, always: true, colour: 'var(--state-left-out)' },
      ]}
    />
  );
}

function Confirm({ set: { token, state, resolve, resolution } }: { readonly set: Resolves }) {
  const text = useTexts();
  const may = useMay();
  const client = useQueryClient();
  const confirm = useMutation({
    mutationFn: () => confirmResolves(token),
    onSuccess: () => client.invalidateQueries(),
  });
  if (!may('post /v1/resolves')) return null;
  const count = wholeText(resolve);
  return (
    <div className={styles.confirm}>
      {state === 'ready' && resolve > 0 && (
        <>
          <p>{text(`resolves.cost.${resolution}`, { count })}</p>
          <Button variant="filled" loading={confirm.isPending} onClick={() => confirm.mutate()}>
            {text('resolves.button', { count })}
          </Button>
        </>
      )}
      {state === 'ready' && resolve === 0 && <p>{text('resolves.nothing')}</p>}
      {state === 'expired' && <p>{text('retries.again')}</p>}
      {confirm.error !== null && <Failed error={confirm.error} />}
    </div>
  );
}
