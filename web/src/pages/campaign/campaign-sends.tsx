// The newest sends of a campaign, by state, zone and occurrence: what every figure of the plan and of the report leads to.
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { WholeCampaign } from '../../api/campaigns.ts';
import { sendsQuery } from '../../api/sends.ts';
import { SEND_LINKS } from '../../app/send-links.tsx';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterText } from '../../parts/filter/filter-bar.tsx';
import { Empty } from '../../parts/panel/panel.tsx';
import { Reason } from '../../parts/reason/reason.tsx';
import { useSendColumns } from '../../parts/sends/send-columns.tsx';
import { SendStateMark } from '../../parts/state/state.tsx';
import { HeldList } from '../../parts/table/held-list.tsx';
import styles from './campaign.module.css';

const route = getRouteApi('/campaigns/$id');

export function CampaignSends({ campaign }: { readonly campaign: WholeCampaign }) {
  const text = useTexts();
  const { state, zone, occurrence, code } = route.useSearch();
  const filter = {
    campaign: campaign.id,
    ...(state !== undefined && { state }),
    ...(zone !== undefined && { zone }),
    ...(occurrence !== undefined && { occurrence }),
    ...(code !== undefined && { code }),
  };
  const query = useInfiniteQuery(sendsQuery(filter));
  const columns = useSendColumns({ toSend: SEND_LINKS.toSend });
  return (
    <>
      <SendsFilter />
      <HeldList
        name={text('campaign.tab.sends')}
        query={query}
        filter={filter}
        columns={columns}
        rows={6}
        empty={<Empty>{text('sends.none')}</Empty>}
      />
    </>
  );
}

function SendsFilter() {
  const text = useTexts();
  const { state, zone, occurrence, code } = route.useSearch();
  const navigate = route.useNavigate();
  const isFiltered =
    state !== undefined || zone !== undefined || occurrence !== undefined || code !== undefined;
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
      {code !== undefined && <Reason code={code} />}
    </FilterBar>
  );
}
