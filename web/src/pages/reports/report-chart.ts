// The rows of a report as a chart: one key makes bars in the order of the table, two keys a map of heat whose mark is a row. Pure.
import type { ChartSeries, ChartSpec } from '../../parts/chart/chart-spec.ts';
import { isTime, type ReportKey } from './reports-search.ts';

export interface ChartedRow {
  /** The text of each key, in the order of the keys. */
  readonly names: readonly string[];
  readonly value: number;
}

/** Of names more would be lines that nobody reads; the table has them all. */
const MOST_DOWN = 12;

export interface HeatChart {
  readonly spec: ChartSpec;
  /** The row of each mark. */
  readonly rowOf: readonly number[];
  /** Names that the table alone has. */
  readonly left: number;
}

/** Times run across, names go down, the largest first. */
export function heatOf(
  rows: readonly ChartedRow[],
  keys: readonly [ReportKey, ReportKey],
  unit: string,
): HeatChart {
  const isTurned = isTime(keys[1]) && !isTime(keys[0]);
  const [xAt, yAt] = isTurned ? [1, 0] : [0, 1];
  const nameOf = (row: ChartedRow, at: number): string => row.names[at] ?? '';
  const xKey = keys[xAt] ?? keys[0];
  const totals = new Map<string, number>();
  for (const row of rows) totals.set(nameOf(row, yAt), (totals.get(nameOf(row, yAt)) ?? 0) + row.value);
  const yKey = keys[yAt] ?? keys[1];
  const names = [...totals].toSorted(([, one], [, other]) => other - one).map(([name]) => name);
  const down = isTime(yKey) ? [...totals.keys()].toSorted() : names.slice(0, MOST_DOWN);
  const found = [...new Set(rows.map((row) => nameOf(row, xAt)))];
  // Hours of a day sort as text; other times come in the order of the rows unless those are by size.
  const across = xKey === 'localHour' ? found.toSorted() : found;
  const rowOf: number[] = [];
  const cells = rows.flatMap((row, index) => {
    const [x, y] = [across.indexOf(nameOf(row, xAt)), down.indexOf(nameOf(row, yAt))];
    if (y === -1) return [];
    rowOf.push(index);
    return [{ x, y, value: row.value }];
  });
  return {
    spec: { kind: 'heat', across, down, cells, unit },
    rowOf,
    left: totals.size - down.length,
  };
}

/** The most bars that can be told apart. */
const MOST_BARS = 120;

export function barsOf(marks: readonly string[], series: readonly ChartSeries[], unit: string): ChartSpec {
  const shown = series
    .filter(({ values }) => values.some((value) => value !== null && value > 0))
    .map((one) => ({ ...one, values: one.values.slice(0, MOST_BARS) }));
  return { kind: 'bars', marks: marks.slice(0, MOST_BARS), series: shown, unit };
}
