// A set of uncertain sends to be settled alike: gathered while one watches, then resolved once somebody confirms exactly these. Its address
// survives a reload, and confirming twice changes nothing.
import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { confirmResolves, resolvesQuery, type Resolves } from '../../api/resolves.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import { Sum } from '../../parts/figure/sum.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Failed } from '../../parts/panel/failed.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { Time } from '../../parts/time/time.tsx';
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
            <Standing set={set} />
            <Found set={set} />
            <LeftOut set={set} />
            <Confirm set={set} />
          </div>
        )}
      </Panel>
    </>
  );
}

function Standing({ set }: { readonly set: Resolves }) {
  const text = useTexts();
  const { state, resolution, createdAt, createdBy, expiresAt, confirmedAt, confirmedBy, reason } = set;
  return (
    <div>
      <p className={styles.state} role="status">
        {text(`resolves.state.${state}`)}
      </p>
      <p>
        {text(`resolve.${resolution}`)}
        {reason !== null && ` · ${reason}`}
      </p>
      <p className={styles.quiet}>
        {text('retries.frozen')} <Time at={createdAt} seconds /> · {createdBy}
      </p>
      {expiresAt !== null && state === 'ready' && (
        <p className={styles.quiet}>
          {text('retries.goodUntil')} <Time at={expiresAt} relative short />
        </p>
      )}
      {confirmedAt !== null && (
        <p className={styles.quiet}>
          {text('retries.confirmed')} <Time at={confirmedAt} seconds /> · {confirmedBy}
        </p>
      )}
    </div>
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

function LeftOut({ set: { leftOut } }: { readonly set: Resolves }) {
  const text = useTexts();
  const rows = Object.entries(leftOut).toSorted(([, a], [, b]) => b - a);
  if (rows.length === 0) return null;
  return (
    <DataTable
      name={text('retries.leftOutWhy')}
      rows={rows}
      rowKey={([code]) => code}
      columns={[
        {
          key: 'why',
          head: text('retries.leftOutWhy'),
          title: true,
          wide: true,
          cell: ([code]) => <Reason code={code} />,
        },
        {
          key: 'count',
          head: text('plan.sends'),
          align: 'right',
          cell: ([, count]) => <Figure value={count} />,
        },
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
