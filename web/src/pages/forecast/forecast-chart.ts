// The load of a forecast as bars: one for each step of the range, also where nothing is planned, the largest keys as series. Pure.
import type { Forecast, ForecastStep } from '../../api/forecast.ts';
import type { ChartSeries } from '../../parts/chart/chart-spec.ts';

/** More than can be told apart are one series, "others". */
const MOST_SERIES = 7;

const COLOURS = [
  'var(--accent)',
  'var(--state-kept)',
  'var(--state-late)',
  'var(--state-sent)',
  'var(--state-uncertain)',
  'var(--state-left-out)',
  'var(--state-waiting)',
] as const;

export interface LoadBars {
  /** The instants of the steps. */
  readonly steps: readonly string[];
  readonly series: readonly ChartSeries[];
}

const STEP_MS = { minute: 60_000, hour: 3_600_000 } as const;

export function loadBars(
  { from, to, step, steps }: Pick<Forecast, 'from' | 'to' | 'step' | 'steps'>,
  nameOf: (step: ForecastStep) => string,
  others: string,
): LoadBars {
  const stepMs = STEP_MS[step];
  const count = Math.max(0, Math.ceil((Date.parse(to) - Date.parse(from)) / stepMs));
  const at = ({ at: instant }: ForecastStep): number =>
    Math.floor((Date.parse(instant) - Date.parse(from)) / stepMs);
  const totals = new Map<string, number>();
  for (const one of steps) totals.set(nameOf(one), (totals.get(nameOf(one)) ?? 0) + one.requests);
  const names = [...totals].toSorted(([, one], [, other]) => other - one).map(([name]) => name);
  const shown = names.length > MOST_SERIES ? names.slice(0, MOST_SERIES - 1) : names;
  const values = new Map(
    [...shown, ...(shown.length < names.length ? [others] : [])].map((name) => [
      name,
      Array.from({ length: count }, () => 0),
    ]),
  );
  for (const one of steps) {
    const row = values.get(nameOf(one)) ?? values.get(others);
    const index = at(one);
    if (row?.[index] !== undefined) row[index] += one.requests;
  }
  return {
    steps: Array.from({ length: count }, (_, index) =>
      new Date(Date.parse(from) + index * stepMs).toISOString(),
    ),
    series: [...values].map(([name, row], index) => ({
      name,
      colour: COLOURS[index] ?? 'var(--state-waiting)',
      values: row,
    })),
  };
}
