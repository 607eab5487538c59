// All campaigns, newest first, by the filters of the address.
import { Checkbox } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { campaignsQuery } from '../../api/campaigns.ts';
import { useMay } from '../../app/session-context.ts';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterChoice, FilterText } from '../../parts/filter/filter-bar.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Empty } from '../../parts/panel/panel.tsx';
import { HeldList } from '../../parts/table/held-list.tsx';
import { useCampaignColumns } from './campaign-columns.tsx';
import { STATE_SET_NAMES, STATE_SETS, type CampaignsSearch } from './campaigns-search.ts';
import { FirstCampaign } from './first-campaign.tsx';

const route = getRouteApi('/campaigns');

export function CampaignsPage() {
  const text = useTexts();
  const may = useMay();
  const search = route.useSearch();
  const columns = useCampaignColumns();
  const query = useInfiniteQuery(campaignsQuery(filterOf(search)));
  const isFiltered = Object.keys(search).length > 0;
  return (
    <>
      <PageHead
        title={text('page.campaigns')}
        acts={
          may('post /v1/events') && (
            <Link to="/compose" title={text('compose.key')}>
              {text('page.compose')}
            </Link>
          )
        }
      />
      <CampaignFilters search={search} />
      <HeldList
        name={text('page.campaigns')}
        query={query}
        filter={search}
        columns={columns}
        rows={8}
        empty={isFiltered ? <Empty>{text('campaigns.noneMatch')}</Empty> : <FirstCampaign />}
      />
    </>
  );
}

function filterOf({ q, state, service, tag, attention }: CampaignsSearch) {
  return {
    ...(q !== undefined && { q }),
    ...(state !== undefined && { state: STATE_SETS[state] }),
    ...(service !== undefined && { serviceId: service }),
    ...(tag !== undefined && { tag }),
    ...(attention !== undefined && { attention }),
  };
}

function CampaignFilters({ search }: { readonly search: CampaignsSearch }) {
  const text = useTexts();
  const navigate = route.useNavigate();
  const set = useCallback(
    (more: Partial<CampaignsSearch>) =>
      void navigate({ search: (former) => ({ ...former, ...more }), replace: true }),
    [navigate],
  );
  return (
    <FilterBar isFiltered={Object.keys(search).length > 0} clear={() => void navigate({ search: {} })}>
      <FilterText label={text('campaigns.find')} value={search.q} choose={(q) => set({ q })} />
      <FilterChoice
        label={text('campaigns.state')}
        value={search.state}
        choices={[
          { value: '', label: text('campaigns.anyState') },
          ...STATE_SET_NAMES.map((name) => ({ value: name, label: text(`campaigns.states.${name}`) })),
        ]}
        choose={(state) => set({ state: state as CampaignsSearch['state'] })}
      />
      <FilterText
        label={text('filter.service')}
        value={search.service}
        choose={(service) => set({ service })}
      />
      <Checkbox
        label={text('campaigns.needsAttention')}
        checked={search.attention === 'true'}
        onChange={(event) => set({ attention: event.currentTarget.checked ? 'true' : undefined })}
      />
    </FilterBar>
  );
}
