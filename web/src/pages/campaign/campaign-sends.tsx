// The newest sends of a campaign, by state, zone and occurrence: what every figure of the plan and of the report leads to.
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { WholeCampaign } from '../../api/campaigns.ts';
import { rowsOf } from '../../api/paging.ts';
import { sendsQuery } from '../../api/sends.ts';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterText } from '../../parts/filter/filter-bar.tsx';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { useSendColumns } from '../../parts/sends/send-columns.tsx';
import { SendStateMark } from '../../parts/state/state.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { useHeldRows } from '../../parts/table/held-rows.ts';
import { ListFoot } from '../../parts/table/list-foot.tsx';
import { WaitingRows } from '../../parts/table/waiting-rows.tsx';
import styles from './campaign.module.css';

const route = getRouteApi('/campaigns/$id');

export function CampaignSends({ campaign }: { readonly campaign: WholeCampaign }) {
  const text = useTexts();
  const { state, zone, occurrence } = route.useSearch();
  const filter = {
    campaign: campaign.id,
    ...(state !== undefined && { state }),
    ...(zone !== undefined && { zone }),
    ...(occurrence !== undefined && { occurrence }),
  };
  const query = useInfiniteQuery(sendsQuery(filter));
  const held = useHeldRows(JSON.stringify(filter), rowsOf(query.data), ({ id }) => id);
  const columns = useSendColumns({
    toSend: (id, shown) => (
      <Link to="/sends/$id" params={{ id }}>
        {shown}
      </Link>
    ),
  });
  return (
    <>
      <SendsFilter />
      <Panel
        query={query}
        rows={6}
        asOf={() => new Date(query.dataUpdatedAt).toISOString()}
        aside={<WaitingRows count={held.waiting} show={held.show} />}
        empty={() => (held.rows.length > 0 ? undefined : <Empty>{text('sends.none')}</Empty>)}
      >
        {() => (
          <DataTable
            name={text('campaign.tab.sends')}
            columns={columns}
            rows={held.rows}
            rowKey={({ id }) => id}
            foot={
              <ListFoot
                shown={held.rows.length}
                hasMore={query.hasNextPage}
                isLoading={query.isFetchingNextPage}
                more={() => void query.fetchNextPage()}
              />
            }
          />
        )}
      </Panel>
    </>
  );
}

function SendsFilter() {
  const text = useTexts();
  const { state, zone, occurrence } = route.useSearch();
  const navigate = route.useNavigate();
  const isFiltered = state !== undefined || zone !== undefined || occurrence !== undefined;
  return (
    <FilterBar isFiltered={isFiltered} clear={() => void navigate({ search: { tab: 'sends' } })}>
      <FilterText
        label={text('filter.zone')}
        value={zone}
        choose={(one) => void navigate({ search: (former) => ({ ...former, zone: one }), replace: true })}
      />
      {state !== undefined && (
        <span className={styles.marks}>
          {state.split(',').map((one) => (
            <SendStateMark key={one} state={one} />
          ))}
        </span>
      )}
      {occurrence !== undefined && <span>{occurrence}</span>}
    </FilterBar>
  );
}
