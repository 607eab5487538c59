// The other side of a report over many campaigns: another campaign, or the same days a week before (reports.md, "Over many
// campaigns"). Decides for each row whether the other side is still kept finely enough: if it is not, the row has no other side, which
// is never shown as zero. Pure.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { coarseBefore } from '../../store/rollup/kept-rollups.js';
import type { Against, GroupKey, Key, ReportAsk, ReportFilter } from './grouped-rows.js';

export const WEEK_BEFORE = 'week-before';
const WEEK_HOURS = 7 * 24;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Why a row, or the totals, has no other side. */
export const NOT_COMPARED = ['PAST_RETENTION', 'KEPT_COARSER', 'NO_SUCH_CAMPAIGN'] as const;
export type NotCompared = (typeof NOT_COMPARED)[number];

/** Keys that name a time, the finest first: the finest key that a row has gives its instant. */
const TIMES = { minute: 60_000, hour: HOUR_MS, day: DAY_MS } as const;
type TimeKey = keyof typeof TIMES;
const TIME_KEYS = Object.keys(TIMES) as readonly TimeKey[];

export interface Comparison {
  /** Selects the other side's totals. */
  readonly filter: ReportFilter;
  /** Selects the other side's rows; undefined: no row can be compared. */
  readonly against: Against | undefined;
  /** Why the totals have no other side; null: they have one. */
  readonly notCompared: NotCompared | null;
  readonly notComparedOf: (key: Key) => NotCompared | null;
  /** The key of the other side's row. */
  readonly keyOf: (key: Key) => Key;
  /** The keys that keyOf changes. */
  readonly movedKeys: readonly GroupKey[];
}

/** The same range, zone and mode of another campaign. `isKnown`: whether that campaign is known. */
export function withCampaign(filter: ReportFilter, campaign: string, isKnown: boolean): Comparison {
  const { from, to, zone, mode } = filter;
  const other = { serviceIds: null, campaign, from, to, zone, mode };
  const notCompared = isKnown ? null : 'NO_SUCH_CAMPAIGN';
  return {
    filter: other,
    against: isKnown ? { filter: other, laterHours: 0 } : undefined,
    notCompared,
    notComparedOf: () => notCompared,
    keyOf: (key) => key,
    movedKeys: [],
  };
}

/** The same filter 168 hours before: time keys are UTC, where every day has 24 hours. */
export function withWeekBefore(
  { by, filter }: Pick<ReportAsk, 'by' | 'filter'>,
  range: { readonly from: EpochMs; readonly to: EpochMs },
  { now, kept }: { readonly now: EpochMs; readonly kept: Readonly<Record<'sendsMs' | 'reportsMs', number>> },
): Comparison {
  const from = range.from - WEEK_HOURS * HOUR_MS;
  const to = range.to - WEEK_HOURS * HOUR_MS;
  const other = { ...filter, from, to };
  // Tags stand in revisions, which are deleted with the days of their sends.
  const keptFrom = now - (filter.tag === undefined ? kept.reportsMs : kept.sendsMs);
  const isCut = [from, to].some((bound) => isInside(bound, now));
  const time = TIME_KEYS.find((key) => by.includes(key));
  const since = time === undefined ? -Infinity : finestSince(time, now);
  const ofInstant = (instant: EpochMs): NotCompared | null =>
    instant < keptFrom ? 'PAST_RETENTION' : instant < since ? 'KEPT_COARSER' : null;
  const ofAll = from < keptFrom ? 'PAST_RETENTION' : isCut ? 'KEPT_COARSER' : null;
  // A row that is only partly kept cannot be compared.
  const first = time === undefined ? from : Math.max(from, since, roundedUp(keptFrom, TIMES[time]));
  const hasRows = !isCut && (time === undefined ? ofAll === null : first < to);
  return {
    filter: other,
    against: hasRows ? { filter: { ...other, from: first }, laterHours: WEEK_HOURS } : undefined,
    notCompared: ofAll,
    notComparedOf: (key) => {
      if (time === undefined || isCut) return ofAll;
      const instant = instantOf(key, time);
      return instant === undefined ? null : ofInstant(instant - WEEK_HOURS * HOUR_MS);
    },
    keyOf: (key) => {
      const shifted = TIME_KEYS.filter((name) => name in key).map((name) => [name, weekBefore(key, name)]);
      return { ...key, ...(Object.fromEntries(shifted) as Key) };
    },
    movedKeys: TIME_KEYS,
  };
}

const roundedUp = (instant: EpochMs, unit: number): EpochMs => Math.ceil(instant / unit) * unit;

/** Whether the bound lies inside an hour or a day that is kept as one sum. */
const isInside = (bound: EpochMs, now: EpochMs): boolean =>
  (bound < coarseBefore('day', now) && bound % DAY_MS !== 0) ||
  (bound < coarseBefore('hour', now) && bound % HOUR_MS !== 0);

/** The instant from which on rows are kept as finely as `time`. */
function finestSince(time: TimeKey, now: EpochMs): EpochMs {
  if (time === 'day') return -Infinity;
  return coarseBefore(time === 'minute' ? 'hour' : 'day', now);
}

function instantOf(key: Key, name: TimeKey): EpochMs | undefined {
  const text = key[name];
  return typeof text === 'string' ? Date.parse(text) : undefined;
}

function weekBefore(key: Key, name: TimeKey): string | null {
  const instant = instantOf(key, name);
  if (instant === undefined) return null;
  const text = new Date(instant - WEEK_HOURS * HOUR_MS).toISOString();
  return name === 'day' ? text.slice(0, 10) : `${text.slice(0, 19)}Z`;
}
