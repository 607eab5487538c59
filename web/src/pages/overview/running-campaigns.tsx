// Campaigns that are under way, and those that wait for somebody's approval.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { campaignsQuery, type Campaign } from '../../api/campaigns.ts';
import { rowsOf } from '../../api/paging.ts';
import { useTexts } from '../../i18n/text.ts';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { Progress } from '../../parts/progress/progress.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { CampaignStateMark } from '../../parts/state/state.tsx';
import { DataTable, type Column } from '../../parts/table/data-table.tsx';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { Time } from '../../parts/time/time.tsx';
import styles from './overview.module.css';

const UNDER_WAY = { state: 'running,canceling,awaiting-approval' };
const MOST = 12;

export function RunningCampaigns() {
  const text = useTexts();
  const query = useInfiniteQuery(campaignsQuery(UNDER_WAY));
  const all = rowsOf(query.data) ?? [];
  const columns = useColumns();
  return (
    <Panel
      title={text('overview.running')}
      query={query}
      empty={() => (all.length > 0 ? undefined : <Empty>{text('overview.noneRunning')}</Empty>)}
    >
      {() => (
        <DataTable
          name={text('overview.running')}
          columns={columns}
          rows={all.slice(0, MOST)}
          rowKey={({ id }) => id}
          foot={
            all.length > MOST ? (
              <Link to="/campaigns" search={{ state: 'open' }}>
                {text('overview.allRunning')} ›
              </Link>
            ) : undefined
          }
        />
      )}
    </Panel>
  );
}

function useColumns(): readonly Column<Campaign>[] {
  const text = useTexts();
  const clockHead = useClockHead();
  return [
    {
      key: 'state',
      head: text('campaigns.state'),
      title: true,
      cell: (campaign) => <CampaignStateMark campaign={campaign} />,
    },
    {
      key: 'name',
      head: text('campaigns.name'),
      title: true,
      wide: true,
      cell: ({ id, name, campaignId }) => (
        <Link to="/campaigns/$id" params={{ id }} search={{}}>
          {name ?? campaignId}
        </Link>
      ),
    },
    {
      key: 'sends',
      head: text('campaigns.sends'),
      cell: ({ sends, sendsAtLeast }) => <Progress sends={sends} atLeast={sendsAtLeast} />,
    },
    {
      key: 'due',
      head: clockHead(text('campaigns.nextDue')),
      cell: ({ nextDueAt }) => (nextDueAt === null ? '–' : <Time at={nextDueAt} column relative />),
    },
    {
      key: 'attention',
      head: text('campaigns.attention'),
      cell: ({ attention }) =>
        attention !== null && (
          <span className={styles.bad}>
            <Reason code={attention.code} short />
          </span>
        ),
    },
  ];
}
