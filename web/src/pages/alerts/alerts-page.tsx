// What needs a person or did, the newest first: what it means, what it came to, who has taken it up, and what it cost in one line to copy.
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { alertsQuery } from '../../api/alerts.ts';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterChoice, FilterText } from '../../parts/filter/filter-bar.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Empty } from '../../parts/panel/panel.tsx';
import { HeldList } from '../../parts/table/held-list.tsx';
import { useAlertColumns } from './alert-columns.tsx';
import { ALERT_STATES, type AlertsSearch } from './alerts-search.ts';

const route = getRouteApi('/alerts');

export function AlertsPage() {
  const text = useTexts();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { state, service } = search;
  const filter = {
    ...(state !== undefined && { state }),
    ...(service !== undefined && { serviceId: service }),
  };
  const query = useInfiniteQuery(alertsQuery(filter));
  const columns = useAlertColumns();
  const set = useCallback(
    (more: Partial<AlertsSearch>) =>
      void navigate({ search: (former) => ({ ...former, ...more }), replace: true }),
    [navigate],
  );
  return (
    <>
      <PageHead title={text('page.alerts')} />
      <FilterBar isFiltered={Object.keys(search).length > 0} clear={() => void navigate({ search: {} })}>
        <FilterChoice
          label={text('campaigns.state')}
          value={state}
          choices={[
            { value: '', label: text('alerts.both') },
            ...ALERT_STATES.map((name) => ({ value: name, label: text(`alerts.${name}`) })),
          ]}
          choose={(name) => set({ state: name as AlertsSearch['state'] })}
        />
        <FilterText label={text('filter.service')} value={service} choose={(of) => set({ service: of })} />
      </FilterBar>
      <HeldList
        name={text('page.alerts')}
        query={query}
        filter={filter}
        columns={columns}
        rows={5}
        empty={<Empty>{text(state === 'open' ? 'alerts.noneOpen' : 'alerts.none')}</Empty>}
      />
    </>
  );
}
