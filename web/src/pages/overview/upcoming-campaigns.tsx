// What leaves next: the planned campaigns by when the first of them is due.
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { campaignsQuery } from '../../api/campaigns.ts';
import { rowsOf } from '../../api/paging.ts';
import { useTexts } from '../../i18n/text.ts';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { Time } from '../../parts/time/time.tsx';

const PLANNED = { state: 'planned', order: 'due' } as const;
const MOST = 8;

export function UpcomingCampaigns() {
  const text = useTexts();
  const clockHead = useClockHead();
  const query = useInfiniteQuery(campaignsQuery(PLANNED));
  const all = rowsOf(query.data) ?? [];
  return (
    <Panel
      title={text('overview.upcoming')}
      query={query}
      empty={() => (all.length > 0 ? undefined : <Empty>{text('overview.noneUpcoming')}</Empty>)}
    >
      {() => (
        <DataTable
          name={text('overview.upcoming')}
          rows={all.slice(0, MOST)}
          rowKey={({ id }) => id}
          columns={[
            {
              key: 'due',
              head: clockHead(text('campaigns.nextDue')),
              title: true,
              cell: ({ nextDueAt }) => (nextDueAt === null ? '–' : <Time at={nextDueAt} column relative />),
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
            { key: 'service', head: text('campaigns.service'), cell: ({ serviceId }) => serviceId },
          ]}
        />
      )}
    </Panel>
  );
}
