// Events that were refused, the newest first: what was wrong with each, from whom it came, and whether somebody has settled it.
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useCallback } from 'react';
import { rejectionsQuery, type Rejection, type RejectionCode } from '../../api/rejections.ts';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterChoice, FilterText } from '../../parts/filter/filter-bar.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { Empty } from '../../parts/panel/panel.tsx';
import type { Column } from '../../parts/table/data-table.tsx';
import { HeldList } from '../../parts/table/held-list.tsx';
import { useClockHead } from '../../parts/time/clock-head.tsx';
import { Time } from '../../parts/time/time.tsx';
import { REJECTION_STATES, VIAS, type RejectedSearch } from './rejected-search.ts';
import styles from './rejected.module.css';

const route = getRouteApi('/rejected');

export function RejectedPage() {
  const text = useTexts();
  const search = route.useSearch();
  const query = useInfiniteQuery(rejectionsQuery(filterOf(search)));
  const columns = useColumns();
  const isFiltered = Object.keys(search).length > 0;
  return (
    <>
      <PageHead title={text('page.rejected')} />
      <Filters search={search} />
      <HeldList
        name={text('page.rejected')}
        query={query}
        filter={search}
        columns={columns}
        rows={6}
        empty={<Empty>{text(isFiltered ? 'rejected.noneMatch' : 'rejected.none')}</Empty>}
      />
    </>
  );
}

function filterOf({ state = 'open', service, code, via }: RejectedSearch) {
  return {
    ...(state !== 'all' && { state }),
    ...(service !== undefined && { serviceId: service }),
    // The server refuses one that it does not know, and says so.
    ...(code !== undefined && { code: code as RejectionCode }),
    ...(via !== undefined && { via }),
  };
}

function Filters({ search }: { readonly search: RejectedSearch }) {
  const text = useTexts();
  const navigate = route.useNavigate();
  const set = useCallback(
    (more: Partial<RejectedSearch>) =>
      void navigate({ search: (former) => ({ ...former, ...more }), replace: true }),
    [navigate],
  );
  return (
    <FilterBar isFiltered={Object.keys(search).length > 0} clear={() => void navigate({ search: {} })}>
      <FilterChoice
        label={text('campaigns.state')}
        value={search.state}
        choices={[...REJECTION_STATES, 'all' as const].map((state) => ({
          value: state === 'open' ? '' : state,
          label: text(`rejected.state.${state}`),
        }))}
        choose={(state) => set({ state: state as RejectedSearch['state'] })}
      />
      <FilterText
        label={text('filter.service')}
        value={search.service}
        choose={(service) => set({ service })}
      />
      <FilterText label={text('filter.code')} value={search.code} choose={(code) => set({ code })} />
      <FilterChoice
        label={text('rejected.via')}
        value={search.via}
        choices={[
          { value: '', label: text('rejected.anyVia') },
          ...VIAS.map((via) => ({ value: via, label: text(`rejected.via.${via}`) })),
        ]}
        choose={(via) => set({ via: via as RejectedSearch['via'] })}
      />
    </FilterBar>
  );
}

function useColumns(): readonly Column<Rejection>[] {
  const text = useTexts();
  const clockHead = useClockHead();
  return [
    {
      key: 'subject',
      head: text('rejected.event'),
      title: true,
      cell: ({ id, seen: { subject, id: eventId } }) => (
        <Link to="/rejected/$id" params={{ id }}>
          {subject ?? eventId ?? text('rejected.unnamed')}
        </Link>
      ),
    },
    {
      key: 'problem',
      head: text('rejected.problem'),
      wide: true,
      cell: ({ problems: [first, ...others] }) =>
        first !== undefined && (
          <span lang="en">
            {first.text} <code className={styles.code}>{first.code}</code>
            {others.length > 0 && (
              <span className={styles.quiet} lang={text.locale}>
                {' '}
                {text('rejected.moreProblems', { count: others.length })}
              </span>
            )}
          </span>
        ),
    },
    { key: 'service', head: text('campaigns.service'), cell: ({ serviceId }) => serviceId ?? '–' },
    { key: 'via', head: text('rejected.via'), cell: ({ via }) => text(`rejected.via.${via}`) },
    {
      key: 'state',
      head: text('campaigns.state'),
      cell: ({ state, settledBy }) => (
        <>
          {text(`rejected.state.${state}`)}
          {settledBy !== null && <div className={styles.quiet}>{settledBy}</div>}
        </>
      ),
    },
    {
      key: 'at',
      head: clockHead(text('rejected.at')),
      cell: ({ rejectedAt }) => <Time at={rejectedAt} column seconds relative />,
    },
  ];
}
