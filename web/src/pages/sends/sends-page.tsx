// Sends of all campaigns by the filters of the address, the newest first.
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { SEND_SETS, sendsQuery, type SendFilter } from '../../api/sends.ts';
import { SEND_LINKS } from '../../app/send-links.tsx';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterChoice, FilterText } from '../../parts/filter/filter-bar.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Empty } from '../../parts/panel/panel.tsx';
import { useSendColumns } from '../../parts/sends/send-columns.tsx';
import { HeldList } from '../../parts/table/held-list.tsx';
import { MODES, SEND_SET_NAMES, type SendsSearch } from './sends-search.ts';

const route = getRouteApi('/sends');

export function SendsPage() {
  const text = useTexts();
  const search = route.useSearch();
  const query = useInfiniteQuery(sendsQuery(filterOf(search)));
  const columns = useSendColumns(SEND_LINKS);
  return (
    <>
      <PageHead title={text('page.sends')} />
      <SendFilters search={search} />
      <HeldList
        name={text('page.sends')}
        query={query}
        filter={search}
        columns={columns}
        rows={8}
        empty={<Empty>{text('sends.none')}</Empty>}
      />
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
