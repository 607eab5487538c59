// Sends of all campaigns by the filters of the address, the newest first.
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { SEND_SETS, sendsQuery, type SendFilter } from '../../api/sends.ts';
import { SEND_LINKS } from '../../app/send-links.tsx';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterChoice, FilterText } from '../../parts/filter/filter-bar.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Empty } from '../../parts/panel/panel.tsx';
import { useSendColumns } from '../../parts/sends/send-columns.tsx';
import { SendStateMark } from '../../parts/state/state.tsx';
import { HeldList } from '../../parts/table/held-list.tsx';
import { lengthText } from '../../parts/time/length-text.ts';
import { Time } from '../../parts/time/time.tsx';
import { MODES, SEND_SET_NAMES, type SendsSearch } from './sends-search.ts';
import styles from './sends.module.css';

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
      <Narrowed search={search} />
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

function filterOf(search: SendsSearch): SendFilter {
  const { service, state, zone, mode, code, campaign, from, to, deferred, lateOver } = search;
  const states = state === undefined ? search.states : SEND_SETS[state];
  return {
    ...(service !== undefined && { serviceId: service }),
    ...(states !== undefined && { state: states }),
    ...(zone !== undefined && { zone }),
    ...(mode !== undefined && { mode }),
    ...(code !== undefined && { code }),
    ...(campaign !== undefined && { campaign }),
    ...(from !== undefined && { dueFrom: from }),
    ...(to !== undefined && { dueTo: to }),
    ...(deferred !== undefined && { deferred }),
    ...(lateOver !== undefined && { lateOver }),
  };
}

/** What a figure of a report asked for, beside the filters that can be chosen here. */
function Narrowed({ search }: { readonly search: SendsSearch }) {
  const { state, states, campaign, from, to, deferred, lateOver } = search;
  const text = useTexts();
  const said = [
    state === undefined &&
      states !== undefined &&
      states.split(',').map((one) => <SendStateMark key={one} state={one} />),
    campaign !== undefined && (
      <Link key="campaign" to="/campaigns/$id" params={{ id: campaign }} search={{}}>
        {text('sends.ofCampaign')}
      </Link>
    ),
    from !== undefined && (
      <span key="from">
        {text('sends.dueFrom')} <Time at={from} />
      </span>
    ),
    to !== undefined && (
      <span key="to">
        {text('sends.dueTo')} <Time at={to} />
      </span>
    ),
    deferred !== undefined && <span key="deferred">{text('sends.deferred')}</span>,
    lateOver !== undefined && (
      <span key="late">{text('sends.lateOver', { length: lengthText(Number(lateOver), text) })}</span>
    ),
  ].filter((one) => one !== false);
  return said.length === 0 ? null : <p className={styles.narrowed}>{said}</p>;
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
