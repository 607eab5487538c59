// Sends of all campaigns by the filters of the address, the newest first.
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { rowsOf } from '../../api/paging.ts';
import { sendsQuery, type SendFilter } from '../../api/sends.ts';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterChoice, FilterText } from '../../parts/filter/filter-bar.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { useSendColumns } from '../../parts/sends/send-columns.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { useHeldRows } from '../../parts/table/held-rows.ts';
import { ListFoot } from '../../parts/table/list-foot.tsx';
import { WaitingRows } from '../../parts/table/waiting-rows.tsx';
import { MODES, SEND_SET_NAMES, SEND_SETS, type SendsSearch } from './sends-search.ts';

const route = getRouteApi('/sends');

export function SendsPage() {
  const text = useTexts();
  const search = route.useSearch();
  const query = useInfiniteQuery(sendsQuery(filterOf(search)));
  const held = useHeldRows(JSON.stringify(search), rowsOf(query.data), ({ id }) => id);
  const columns = useSendColumns({
    toSend: (id, shown) => (
      <Link to="/sends/$id" params={{ id }}>
        {shown}
      </Link>
    ),
    toCampaign: (id, shown) => (
      <Link to="/campaigns/$id" params={{ id }} search={{}}>
        {shown}
      </Link>
    ),
  });
  return (
    <>
      <PageHead title={text('page.sends')} />
      <SendFilters search={search} />
      <Panel
        query={query}
        rows={8}
        asOf={() => new Date(query.dataUpdatedAt).toISOString()}
        aside={<WaitingRows count={held.waiting} show={held.show} />}
        empty={({ pages }) =>
          pages.some(({ items }) => items.length > 0) ? undefined : <Empty>{text('sends.none')}</Empty>
        }
      >
        {() => (
          <DataTable
            name={text('page.sends')}
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

function filterOf({ service, state, zone, mode, code }: SendsSearch): SendFilter {
  return {
    ...(service !== undefined && { serviceId: service }),
    ...(state !== undefined && { state: SEND_SETS[state] }),
    ...(zone !== undefined && { zone }),
    ...(mode !== undefined && { mode }),
    ...(code !== undefined && { code }),
  };
}

function SendFilters({ search }: { readonly search: SendsSearch }) {
  const text = useTexts();
  const navigate = route.useNavigate();
  const set = useCallback(
    (more: Partial<SendsSearch>) =>
      void navigate({ search: (former) => ({ ...former, ...more }), replace: true }),
    [navigate],
  );
  return (
    <FilterBar isFiltered={Object.keys(search).length > 0} clear={() => void navigate({ search: {} })}>
      <FilterText
        label={text('filter.service')}
        value={search.service}
        choose={(service) => set({ service })}
      />
      <FilterChoice
        label={text('campaigns.state')}
        value={search.state}
        choices={[
          { value: '', label: text('campaigns.anyState') },
          ...SEND_SET_NAMES.map((name) => ({ value: name, label: text(`sends.states.${name}`) })),
        ]}
        choose={(state) => set({ state: state as SendsSearch['state'] })}
      />
      <FilterChoice
        label={text('plan.mode')}
        value={search.mode}
        choices={[
          { value: '', label: text('sends.anyMode') },
          ...MODES.map((name) => ({ value: name, label: text.word(`mode.${name}`, name) })),
        ]}
        choose={(mode) => set({ mode: mode as SendsSearch['mode'] })}
      />
      <FilterText label={text('filter.zone')} value={search.zone} choose={(zone) => set({ zone })} />
      <FilterText label={text('filter.code')} value={search.code} choose={(code) => set({ code })} />
    </FilterBar>
  );
}
