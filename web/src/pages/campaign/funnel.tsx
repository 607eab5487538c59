// From the ids that the audience names to the devices that a provider took: how many are left at each stage, and at each loss how many, why, and
// the way to their sends. The server counts; what nobody counts is a dash.
import { Link } from '@tanstack/react-router';
import type { Report } from '../../api/campaigns.ts';
import { useTexts } from '../../i18n/text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { searchOfCampaign } from './campaign-search.ts';
import styles from './campaign.module.css';

type Stage = NonNullable<Report['funnel']>[number];

export function Funnel({ report: { funnel, campaign } }: { readonly report: Report }) {
  const text = useTexts();
  if (funnel === null) return null;
  return (
    <section className={styles.event}>
      <h2>{text('funnel.title')}</h2>
      <DataTable
        name={text('funnel.title')}
        rows={funnel}
        rowKey={({ stage }) => stage}
        columns={[
          {
            key: 'stage',
            head: text('funnel.stage'),
            title: true,
            cell: ({ stage, unit }) => (
              <>
                {text.word(`funnel.${stage}`, stage)}{' '}
                <span className={styles.quiet}>{text.word(`funnel.unit.${unit}`, unit)}</span>
              </>
            ),
          },
          {
            key: 'count',
            head: text('funnel.left'),
            align: 'right',
            cell: (stage) => (
              <strong>
                <Figure value={stage.count} atLeast={stage.count !== null && stage.notTold !== 0} />
              </strong>
            ),
          },
          {
            key: 'bar',
            head: text('funnel.ofStage'),
            cell: (stage) => <Share stage={stage} />,
          },
          {
            key: 'lost',
            head: text('funnel.lost'),
            wide: true,
            cell: (stage) => <Losses stage={stage} campaign={campaign.id} />,
          },
        ]}
      />
    </section>
  );
}

/** For the eye; the figures stand beside it. */
function Share({ stage: { count, of } }: { readonly stage: Stage }) {
  if (count === null || of === null || of === 0) return <>–</>;
  return (
    <span className={styles.share}>
      <span className={styles.shareBar} aria-hidden="true">
        <span style={{ width: `${(count / of) * 100}%` }} />
      </span>
      <Figure value={of} />
    </span>
  );
}

function Losses({ stage, campaign }: { readonly stage: Stage; readonly campaign: string }) {
  const text = useTexts();
  const { lost, pending, notTold } = stage;
  return (
    <ul className={styles.losses}>
      {lost.map(({ reason, count, requests, sends }) => (
        <li key={reason}>
          <Link to="/campaigns/$id" params={{ id: campaign }} search={sendsIn(sends)}>
            <Figure value={count ?? requests} />
          </Link>{' '}
          {count === null && requests !== null && <>{text('funnel.requests')} </>}
          <Reason code={reason} />
        </li>
      ))}
      {pending !== 0 && (
        <li className={styles.quiet}>
          <Figure value={pending} /> {text('funnel.pending')}
        </li>
      )}
      {notTold !== 0 && (
        <li className={styles.quiet}>
          <Figure value={notTold} /> {text('funnel.notTold')}
        </li>
      )}
    </ul>
  );
}

/** The server names the list by its path: its filters are those of the tab. */
function sendsIn(path: string) {
  const query = new URLSearchParams(path.split('?')[1] ?? '');
  return searchOfCampaign({ ...Object.fromEntries(query), tab: 'sends' });
}
