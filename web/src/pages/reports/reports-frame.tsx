// Around each report: its views as tabs, and the range and the filters that all of them share.
import { TextInput } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { useCallback, type ReactNode } from 'react';
import { useTexts } from '../../i18n/text.ts';
import { FilterBar, FilterChoice, FilterText } from '../../parts/filter/filter-bar.tsx';
import { PageHead } from '../../parts/page/page-head.tsx';
import { PageTabs } from '../../parts/page/page-tabs.tsx';
import { useClock } from '../../parts/time/clock-context.ts';
import { cityOf, ownZone } from '../../parts/time/reading.ts';
import { rangeOf, RANGES, type ReportKey, type ReportsSearch } from './reports-search.ts';

const VIEWS = [
  ['/reports', 'reports.tab.delivery'],
  ['/reports/lateness', 'reports.tab.lateness'],
  ['/reports/ledger', 'reports.tab.ledger'],
] as const;
export type ReportView = (typeof VIEWS)[number][0];

export interface ReportsFrameProps {
  readonly view: ReportView;
  readonly search: ReportsSearch;
  /** By which rows may be grouped; left out: not at all. */
  readonly keys?: readonly ReportKey[];
  readonly children: ReactNode;
}

export function ReportsFrame({ view, search, keys, children }: ReportsFrameProps) {
  const text = useTexts();
  return (
    <>
      <PageHead title={text('page.reports')} />
      <PageTabs name={text('reports.views')}>
        {(tabClass) =>
          VIEWS.map(([to, word]) => (
            <Link
              key={to}
              to={to}
              search={search}
              className={tabClass}
              activeOptions={{ exact: true, includeSearch: false }}
              activeProps={{ 'aria-current': 'page' }}
            >
              {text(word)}
            </Link>
          ))
        }
      </PageTabs>
      <Filters view={view} search={search} keys={keys} />
      {children}
    </>
  );
}

interface FiltersProps {
  readonly view: ReportView;
  readonly search: ReportsSearch;
  readonly keys: readonly ReportKey[] | undefined;
}

function Filters({ view, search, keys }: FiltersProps) {
  const text = useTexts();
  const navigate = useNavigate();
  const { kind: _, ...filters } = search;
  const set = useCallback(
    (more: Partial<ReportsSearch>) =>
      void navigate({ to: view, search: { ...search, ...more }, replace: true }),
    [navigate, view, search],
  );
  return (
    <FilterBar
      isFiltered={Object.keys(filters).length > 0}
      clear={() => void navigate({ to: view, search: {} })}
    >
      <RangeChoice search={search} set={set} />
      <FilterText
        label={text('filter.service')}
        value={search.service}
        choose={(service) => set({ service })}
      />
      {keys !== undefined && (
        <>
          <FilterText label={text('filter.zone')} value={search.zone} choose={(zone) => set({ zone })} />
          <FilterChoice
            label={text('reports.by')}
            value={search.by}
            choices={keys.map((key) => ({
              value: key === 'day' ? '' : key,
              label: text('reports.byKey', { key: text(`reports.key.${key}`) }),
            }))}
            choose={(by) => set({ by: by as ReportsSearch['by'] })}
          />
          <FilterChoice
            label={text('reports.then')}
            value={search.and}
            choices={[
              { value: '', label: text('reports.thenNone') },
              ...keys.map((key) => ({
                value: key,
                label: text('reports.thenKey', { key: text(`reports.key.${key}`) }),
              })),
            ]}
            choose={(and) => set({ and: and as ReportsSearch['and'] })}
          />
          <FilterChoice
            label={text('reports.compare')}
            value={search.compare}
            choices={[
              { value: '', label: text('reports.compareNone') },
              { value: 'week-before', label: text('reports.compareWeek') },
            ]}
            choose={(compare) => set({ compare: compare as ReportsSearch['compare'] })}
          />
        </>
      )}
    </FilterBar>
  );
}

interface RangeChoiceProps {
  readonly search: ReportsSearch;
  readonly set: (more: Partial<ReportsSearch>) => void;
}

/** Days are those of the browser's zone, which is named. */
function RangeChoice({ search, set }: RangeChoiceProps) {
  const text = useTexts();
  const { now } = useClock();
  const { range = '7d' } = search;
  const { from, to } = rangeOf(search, now());
  const [first, last] = [dayOf(Date.parse(from)), dayOf(Date.parse(to) - 1)];
  return (
    <>
      <FilterChoice
        label={text('reports.range')}
        value={range}
        choices={RANGES.map((name) => ({
          value: name,
          label: text(`reports.range.${name}`, { zone: cityOf(ownZone()) }),
        }))}
        choose={(name) =>
          name === 'days'
            ? set({ range: 'days', from: first, to: last })
            : set({
                range: name === '7d' ? undefined : (name as ReportsSearch['range']),
                from: undefined,
                to: undefined,
              })
        }
      />
      {range === 'days' && (
        <>
          <TextInput
            type="date"
            aria-label={text('reports.firstDay')}
            value={first}
            onChange={(event) => set({ from: event.currentTarget.value || undefined })}
          />
          <TextInput
            type="date"
            aria-label={text('reports.lastDay')}
            value={last}
            onChange={(event) => set({ to: event.currentTarget.value || undefined })}
          />
        </>
      )}
    </>
  );
}

/** `2027-03-01` on the browser's clock. */
function dayOf(instant: number): string {
  const day = new Date(instant);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}
