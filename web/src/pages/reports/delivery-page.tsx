// What became of sends and devices of all campaigns in a range: the sums, a chart and the rows by one or two keys, each figure with its list.
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { reportsCsvUrl, summaryQuery, type SummaryReport } from '../../api/reports.ts';
import type { SendState } from '../../api/sends.ts';
import { useTexts } from '../../i18n/text.ts';
import type { ReactNode } from 'react';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { ReportSums } from '../../parts/report/report-sums.tsx';
import { chosen } from '../../parts/search-text.ts';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ListFoot } from '../../parts/table/list-foot.tsx';
import { useClock } from '../../parts/time/clock-context.ts';
import { DeliveryChart } from './delivery-chart.tsx';
import { useDeliveryColumns } from './delivery-columns.tsx';
import { ReportsFrame } from './reports-frame.tsx';
import { askOf, KEYS, keysOf, rangeOf, type ReportsSearch } from './reports-search.ts';
import styles from './reports.module.css';

const route = getRouteApi('/reports');

export function DeliveryPage() {
  const text = useTexts();
  const search = route.useSearch();
  const navigate = useNavigate();
  const { now } = useClock();
  const ask = askOf(search, now(), KEYS);
  const range = rangeOf(search, now());
  const query = useInfiniteQuery(summaryQuery(ask));
  const keys = keysOf(search, KEYS);
  const rows = query.data?.pages.flatMap((page) => page.rows) ?? [];
  const columns = useDeliveryColumns({ keys, search, range, isCompared: search.compare !== undefined });
  return (
    <ReportsFrame view="/reports" search={search} keys={KEYS}>
      <Panel
        query={query}
        rows={8}
        asOf={({ pages }) => pages[0]?.asOf ?? range.to}
        aside={
          <Button component="a" href={reportsCsvUrl('summary', ask)} download size="xs">
            {text('report.csv')}
          </Button>
        }
        empty={() =>
          rows.length > 0 ? undefined : <Empty hint={text('reports.noneHint')}>{text('reports.none')}</Empty>
        }
      >
        {({ pages: [first] }) => (
          <div className={styles.parts}>
            {first !== undefined && <Totals report={first} range={range} search={search} />}
            <DeliveryChart
              rows={rows}
              keys={keys}
              search={search}
              range={range}
              open={(sends) => void navigate({ to: '/sends', search: sends })}
            />
            <DataTable
              name={text('reports.tab.delivery')}
              columns={columns}
              rows={rows}
              rowKey={({ key }) => keys.map((name) => key[name] ?? '').join(' ')}
              foot={<ListFoot query={query} shown={rows.length} />}
            />
          </div>
        )}
      </Panel>
    </ReportsFrame>
  );
}

interface TotalsProps {
  readonly report: SummaryReport;
  readonly range: { readonly from: string; readonly to: string };
  readonly search: ReportsSearch;
}

function Totals({ report: { totals }, range, search }: TotalsProps) {
  const text = useTexts();
  const { service, campaign, zone } = search;
  const filters = chosen({ service, campaign, zone });
  const { compared, notCompared } = totals;
  const toSends = (of: typeof range) => (states: readonly SendState[], figure: ReactNode) => (
    <Link to="/sends" search={{ ...filters, ...of, states: states.join(',') }}>
      {figure}
    </Link>
  );
  return (
    <div>
      <ReportSums {...totals} totals={totals} toSends={toSends(range)} />
      {compared !== undefined && compared !== null && (
        <>
          <h3 className={styles.before}>{text('reports.weekBefore')}</h3>
          <ReportSums {...compared} totals={compared} toSends={toSends(weekBefore(range))} />
        </>
      )}
      {notCompared !== undefined && notCompared !== null && (
        <p className={styles.quiet}>{text.word(`reports.notCompared.${notCompared}`, notCompared)}</p>
      )}
    </div>
  );
}

const WEEK_MS = 168 * 3_600_000;

const weekBefore = ({ from, to }: TotalsProps['range']): TotalsProps['range'] => ({
  from: new Date(Date.parse(from) - WEEK_MS).toISOString(),
  to: new Date(Date.parse(to) - WEEK_MS).toISOString(),
});
