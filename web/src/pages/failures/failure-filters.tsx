// Which failures, and by what they are grouped.
import { getRouteApi } from '@tanstack/react-router';
import { useCallback } from 'react';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterChoice, FilterText } from '../../parts/filter/filter-bar.tsx';
import { FAILURE_SET_NAMES, GROUPINGS, type FailuresSearch } from './failures-search.ts';

const route = getRouteApi('/failures');

export function FailureFilters({ search }: { readonly search: FailuresSearch }) {
  const text = useTexts();
  const navigate = route.useNavigate();
  const { open: _, ...filters } = search;
  const set = useCallback(
    (more: Partial<FailuresSearch>) =>
      void navigate({ search: (former) => ({ ...former, open: undefined, ...more }), replace: true }),
    [navigate],
  );
  return (
    <FilterBar isFiltered={Object.keys(filters).length > 0} clear={() => void navigate({ search: {} })}>
      <FilterChoice
        label={text('campaigns.state')}
        value={search.state}
        choices={FAILURE_SET_NAMES.map((name) => ({
          value: name === 'failed' ? '' : name,
          label: text(`sends.states.${name}`),
        }))}
        choose={(state) => set({ state: state as FailuresSearch['state'] })}
      />
      <FilterText
        label={text('filter.service')}
        value={search.service}
        choose={(service) => set({ service })}
      />
      <FilterText label={text('filter.zone')} value={search.zone} choose={(zone) => set({ zone })} />
      <FilterChoice
        label={text('failures.by')}
        value={search.by}
        choices={GROUPINGS.map((by) => ({
          value: by === 'code' ? '' : by,
          label: text(
            `failures.by.${by.replace(',', '-') as 'code' | 'code-zone' | 'code-campaign' | 'code-mode'}`,
          ),
        }))}
        choose={(by) => set({ by: by as FailuresSearch['by'] })}
      />
    </FilterBar>
  );
}
