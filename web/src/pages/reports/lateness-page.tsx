// How late sends of all campaigns were, by kind, which never share a chart: how the lengths are spread, and the rows by one or two keys.
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { latenessQuery, reportsCsvUrl, type LatenessRow, type Lengths } from '../../api/reports.ts';
import { useTexts } from '../../i18n/text.ts';
import { Chart } from '../../parts/chart/chart.tsx';
import { wholeText } from '../../parts/figure/figure-text.ts';
import { Empty, Panel } from '../../parts/panel/panel.tsx';
import { LengthsTable, useLengthColumns } from '../../parts/report/lengths-table.tsx';
import { DataTable } from '../../parts/table/data-table.tsx';
import { ListFoot } from '../../parts/table/list-foot.tsx';
import { useClock } from '../../parts/time/clock-context.ts';
import { lengthText } from '../../parts/time/length-text.ts';
import { useKeyColumns } from './delivery-columns.tsx';
import { ReportsFrame } from './reports-frame.tsx';
import {
  askOf,
  keysOf,
  LATENESS_KEYS,
  LENGTH_KINDS,
  rangeOf,
  type LengthKind,
  type ReportRange,
  type ReportsSearch,
} from './reports-search.ts';
import styles from './reports.module.css';

const route = getRouteApi('/reports/lateness');

export function LatenessPage() {
  const text = useTexts();
  const search = route.useSearch();
  const { now } = useClock();
  const ask = askOf(search, now(), LATENESS_KEYS);
  const range = rangeOf(search, now());
  const query = useInfiniteQuery(latenessQuery(ask));
  const keys = keysOf(search, LATENESS_KEYS);
  const pages = query.data?.pages ?? [];
  const kinds = LENGTH_KINDS.filter((kind) => (pages[0]?.totals[kind].count ?? 0) > 0);
  const { kind = kinds[0] ?? 'immediate' } = search;
  const rows = pages.flatMap((page) => page.rows).filter((row) => row[kind].count > 0);
  const columns = [...useKeyColumns<LatenessRow>(keys), ...useLengthColumns<LatenessRow>((row) => row[kind])];
  return (
    <ReportsFrame view="/reports/lateness" search={search} keys={LATENESS_KEYS}>
      <Panel
        query={query}
        rows={8}
        asOf={() => pages[0]?.asOf ?? range.to}
        aside={
          <Button component="a" href={reportsCsvUrl('lateness', ask)} download size="xs">
            {text('report.csv')}
          </Button>
        }
        empty={() =>
          kinds.length > 0 ? undefined : (
            <Empty hint={text('reports.noneHint')}>{text('reports.noLengths')}</Empty>
          )
        }
      >
        {({ pages: [first] }) => (
          <div className={styles.parts}>
            <LengthsTable
              kinds={kinds.map((one) => [one, first?.totals[one] ?? NONE])}
              nameOf={(one, word) =>
                one === kind ? (
                  <strong>{word}</strong>
                ) : (
                  <Link to="/reports/lateness" search={{ ...search, kind: one }}>
                    {word}
                  </Link>
                )
              }
            />
            <Spread lengths={first?.totals[kind] ?? NONE} kind={kind} search={search} range={range} />
            <DataTable
              name={text(`report.kind.${kind}`)}
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

const NONE: Lengths = { count: 0, p50Ms: null, p95Ms: null, p99Ms: null, maxMs: null, buckets: [] };

interface SpreadProps {
  readonly lengths: Lengths;
  readonly kind: LengthKind;
  readonly search: ReportsSearch;
  readonly range: ReportRange;
}

/** A bar is a bucket; it opens the sends that took at least as long. */
function Spread({ lengths, kind, search: { service, zone, campaign }, range }: SpreadProps) {
  const text = useTexts();
  const navigate = useNavigate();
  const { buckets, count, p95Ms, maxMs } = lengths;
  const length = (ms: number | null): string => (ms === null ? '–' : lengthText(ms, text));
  const open = (mark: number): void => {
    const bucket = buckets[mark];
    if (bucket === undefined) return;
    const isLate = kind === 'immediate' || kind === 'reserved';
    const of = isLate
      ? { mode: kind, lateOver: String(Math.floor(bucket.fromMs)) }
      : kind === 'deferral'
        ? ({ deferred: 'true' } as const)
        : {};
    const filters = {
      ...(service !== undefined && { service }),
      ...(zone !== undefined && { zone }),
      ...(campaign !== undefined && { campaign }),
    };
    void navigate({ to: '/sends', search: { ...range, ...filters, ...of } });
  };
  return (
    <Chart
      sentence={text('reports.spread', {
        count: wholeText(count),
        p95: length(p95Ms),
        max: length(maxMs),
      })}
      spec={{
        kind: 'bars',
        unit: text('plan.sends'),
        marks: buckets.map(({ fromMs, toMs }) => `${length(fromMs)} – ${length(toMs)}`),
        series: [
          {
            name: text(`report.kind.${kind}`),
            colour: 'var(--accent)',
            values: buckets.map((bucket) => bucket.count),
          },
        ],
      }}
      open={open}
    />
  );
}
