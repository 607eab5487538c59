// What failed, in groups by its reason: how many, since when, what would help; the sends of a group, and the way to retry all of it.
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { failuresQuery } from '../../api/failures.ts';
import { rowsOf } from '../../api/paging.ts';
import { useTexts } from '../../i18n/text.ts';
import { Figure } from '../../parts/figure/figure.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ListFoot } from '../../parts/table/list-foot.tsx';
import { useStillOrder } from '../../parts/table/still-order.ts';
import { FailureFilters } from './failure-filters.tsx';
import { FAILURE_SETS, type FailuresSearch } from './failures-search.ts';
import { useGroupColumns } from './group-columns.tsx';
import { groupKey } from './group-key.ts';
import { GroupSends } from './group-sends.tsx';

const route = getRouteApi('/failures');

export function FailuresPage() {
  const text = useTexts();
  const search = route.useSearch();
  const { state = 'failed', open } = search;
  const query = useInfiniteQuery(failuresQuery(filterOf(search)));
  const columns = useGroupColumns(search);
  const groups = useStillOrder(JSON.stringify(filterOf(search)), rowsOf(query.data) ?? [], groupKey);
  const [first] = query.data?.pages ?? [];
  return (
    <>
      <PageHead title={text('page.failures')} />
      <FailureFilters search={search} />
      <Panel
        query={query}
        rows={5}
        asOf={({ pages }) => pages[0]?.asOf ?? new Date(query.dataUpdatedAt).toISOString()}
        aside={
          first !== undefined && (
            <span>
              {text(`failures.total.${state}`)}{' '}
              <strong>
                <Figure value={first.sends.value} atLeast={first.sends.atLeast} />
              </strong>
            </span>
          )
        }
        empty={() => (groups.length > 0 ? undefined : <Empty>{text(`failures.none.${state}`)}</Empty>)}
      >
        {() => (
          <DataTable
            name={text('page.failures')}
            columns={columns}
            rows={groups}
            rowKey={groupKey}
            below={(group) => groupKey(group) === open && <GroupSends group={group} />}
            foot={<ListFoot query={query} shown={groups.length} />}
          />
        )}
      </Panel>
    </>
  );
}

function filterOf({ state = 'failed', service, zone, by = 'code' }: FailuresSearch) {
  return {
    state: FAILURE_SETS[state],
    groupBy: `${by},project`,
    ...(service !== undefined && { serviceId: service }),
    ...(zone !== undefined && { zone }),
  };
}
