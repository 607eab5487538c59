// An erasure: how far it is, and once it is done its certificate. Nothing here names the user but the hash.
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { erasureQuery, type Erasure } from '../../api/recipients.ts';
import { useTexts } from '../../i18n/text.ts';
import { CopyId } from '../../parts/copy/copy-id.tsx';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Panel } from '../../parts/panel/panel.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { Time } from '../../parts/time/time.tsx';
import styles from './audiences.module.css';

const route = getRouteApi('/audiences/erasures/$id');

export function ErasurePage() {
  const text = useTexts();
  const { id } = route.useParams();
  const query = useQuery(erasureQuery(id));
  return (
    <>
      <PageHead
        title={text('erasure.title')}
        facts={
          <>
            <CopyId id={id} />
            {query.data !== undefined && <span>{query.data.serviceId}</span>}
            <Link to="/audiences/erasures" search={{}}>
              {text('audiences.tab.erase')}
            </Link>
          </>
        }
      />
      <Panel query={query} rows={4}>
        {(erasure) => (
          <div className={styles.parts}>
            <Standing erasure={erasure} />
            <Removed erasure={erasure} />
            <NotHere erasure={erasure} />
          </div>
        )}
      </Panel>
    </>
  );
}

function Standing({ erasure }: { readonly erasure: Erasure }) {
  const text = useTexts();
  const { state, pass, waits, askedAt, askedBy, doneAt, userHash } = erasure;
  return (
    <div>
      <p className={styles.state} role="status">
        {state === 'done' ? `✓ ${text('erasure.done')}` : `▶ ${text('erasure.running', { pass })}`}
      </p>
      {waits > 0 && <p>{text('erasure.waits', { waits: wholeText(waits) })}</p>}
      <p className={styles.quiet}>
        {text('erasure.asked')} <Time at={askedAt} seconds /> · {askedBy}
      </p>
      {doneAt !== null && (
        <p className={styles.quiet}>
          {text('erasure.ended')} <Time at={doneAt} seconds />
        </p>
      )}
      <p className={styles.quiet}>
        {text('erasure.hash')} <CopyId id={userHash} short />
      </p>
    </div>
  );
}

function Removed({ erasure: { removed, state } }: { readonly erasure: Erasure }) {
  const text = useTexts();
  if (removed.length === 0) {
    return <p>{text(state === 'done' ? 'erasure.nowhere' : 'erasure.nothingYet')}</p>;
  }
  return (
    <DataTable
      name={text('erasure.removed')}
      rows={removed}
      rowKey={({ table }) => table}
      columns={[
        {
          key: 'table',
          head: text('erasure.table'),
          title: true,
          wide: true,
          cell: ({ table }) => <code>{table}</code>,
        },
        {
          key: 'rows',
          head: text('erasure.rows'),
          align: 'right',
          cell: ({ rows }) => <Figure value={rows} />,
        },
      ]}
    />
  );
}

function NotHere({ erasure: { notHere } }: { readonly erasure: Erasure }) {
  const text = useTexts();
  return (
    <section>
      <h2>{text('erasure.notHere')}</h2>
      <ul className={styles.about} lang="en">
        {notHere.map((where) => (
          <li key={where}>{where}</li>
        ))}
      </ul>
    </section>
  );
}
