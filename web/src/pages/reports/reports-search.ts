// What a report is asked for, as it stands in the address: the range, the filters, and by what its rows are grouped.
import type { ReportAsk } from '../../api/reports.ts';
import { chosen, textIn, wordIn } from '../../parts/search-text.ts';

export const RANGES = ['24h', '7d', '30d', 'days'] as const;
export type RangeName = (typeof RANGES)[number];

export const KEYS = [
  'day',
  'hour',
  'localHour',
  'zone',
  'project',
  'campaign',
  'mode',
  'country',
  'deviceType',
  'language',
  'code',
] as const;
export type ReportKey = (typeof KEYS)[number];
/** Lateness is not known by these. */
export const LATENESS_KEYS = KEYS.filter((key) => key !== 'code' && key !== 'language');

export const LENGTH_KINDS = ['immediate', 'reserved', 'deferral', 'recovered'] as const;
export type LengthKind = (typeof LENGTH_KINDS)[number];

export interface ReportsSearch {
  /** Left out: the last seven days. */
  readonly range?: RangeName | undefined;
  /** Of the range `days`: the first and the last day on my clock, `2027-03-01`. */
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly service?: string | undefined;
  readonly campaign?: string | undefined;
  readonly zone?: string | undefined;
  readonly by?: ReportKey | undefined;
  readonly and?: ReportKey | undefined;
  readonly kind?: LengthKind | undefined;
  readonly compare?: 'week-before' | undefined;
}

const DAY = /^\d{4}-\d\d-\d\d$/;

export function searchOfReports(given: Record<string, unknown>): ReportsSearch {
  const dayIn = (name: string): string | undefined => {
    const day = textIn(given, name, 10);
    return day !== undefined && DAY.test(day) && !Number.isNaN(Date.parse(day)) ? day : undefined;
  };
  return chosen({
    range: wordIn(given, 'range', RANGES),
    from: dayIn('from'),
    to: dayIn('to'),
    service: textIn(given, 'service'),
    campaign: textIn(given, 'campaign', 36),
    zone: textIn(given, 'zone', 64),
    by: wordIn(given, 'by', KEYS),
    and: wordIn(given, 'and', KEYS),
    kind: wordIn(given, 'kind', LENGTH_KINDS),
    compare: wordIn(given, 'compare', ['week-before'] as const),
  });
}

const HOUR_MS = 3_600_000;
const DAYS = { '7d': 7, '30d': 30 } as const;

export interface ReportRange {
  /** ISO 8601, whole hours of my clock. */
  readonly from: string;
  readonly to: string;
}

/** `now`: the server's, epoch milliseconds. Days are those of the browser's own zone. */
export function rangeOf({ range = '7d', from, to }: ReportsSearch, now: number): ReportRange {
  if (range === '24h') {
    const end = (Math.floor(now / HOUR_MS) + 1) * HOUR_MS;
    return isoRange(end - 24 * HOUR_MS, end);
  }
  const today = new Date(now);
  if (range === 'days' && from !== undefined && to !== undefined) {
    const [first, last] = from <= to ? [from, to] : [to, from];
    return isoRange(midnight(first, 0), midnight(last, 1));
  }
  const days = range === 'days' ? 1 : DAYS[range];
  const end = new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1);
  const start = new Date(today.getFullYear(), today.getMonth(), today.getDate() + 1 - days);
  return isoRange(start.getTime(), end.getTime());
}

const isoRange = (from: number, to: number): ReportRange => ({
  from: new Date(from).toISOString(),
  to: new Date(to).toISOString(),
});

function midnight(day: string, later: number): number {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  return new Date(year, month - 1, date + later).getTime();
}

/** Hours and days are read in their order; of names the largest come first. */
const TIMES: readonly ReportKey[] = ['day', 'hour', 'localHour'];
export const isTime = (key: ReportKey): boolean => TIMES.includes(key);

/** The keys that are asked for; the same one twice counts once. */
export function keysOf(
  { by = 'day', and }: ReportsSearch,
  known: readonly ReportKey[],
): readonly [ReportKey, ...ReportKey[]] {
  const first = known.includes(by) ? by : 'day';
  return and === undefined || and === first || !known.includes(and) ? [first] : [first, and];
}

export function askOf(search: ReportsSearch, now: number, known: readonly ReportKey[]): ReportAsk {
  const keys = keysOf(search, known);
  const { service, campaign, zone, compare } = search;
  return {
    groupBy: keys.join(','),
    ...rangeOf(search, now),
    order: isTime(keys[0]) ? 'key' : '-planned',
    ...(service !== undefined && { serviceId: service }),
    ...(campaign !== undefined && { campaign }),
    ...(zone !== undefined && { zone }),
    ...(compare !== undefined && { compareWith: compare }),
  };
}
