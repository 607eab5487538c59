// What a report over many campaigns stands beside: another campaign, or the same days a week before (http-api.md, "Over many
// campaigns"). Says of each row whether the other side is kept as it would have to be: nothing that is not is shown as zero. Pure.
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { coarseBefore } from '../store/rollup/kept-rollups.js';
import type { Against, GroupKey, Key, ReportAsk, ReportFilter } from '../store/rollup/report-parts.js';

export const WEEK_BEFORE = 'week-before';
const WEEK_HOURS = 7 * 24;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Why there is no other side. */
export const NOT_COMPARED = ['PAST_RETENTION', 'KEPT_COARSER', 'NO_SUCH_CAMPAIGN'] as const;
export type NotCompared = (typeof NOT_COMPARED)[number];

/** Keys that name a time, the finest first: of one that is named as well the instant is the row's. */
const TIMES = { minute: 60_000, hour: HOUR_MS, day: DAY_MS } as const;
type TimeKey = keyof typeof TIMES;
const TIME_KEYS = Object.keys(TIMES) as readonly TimeKey[];

/** How long what is kept. */
export interface Kept {
  readonly sendsMs: number;
  readonly reportsMs: number;
}

export interface Comparison {
  /** Of its totals. */
  readonly filter: ReportFilter;
  /** Of its rows; undefined: none of them can stand beside another. */
  readonly against: Against | undefined;
  /** Of the totals. */
  readonly notCompared: NotCompared | null;
  readonly notComparedOf: (key: Key) => NotCompared | null;
  /** What a row of that key stands beside. */
  readonly keyOf: (key: Key) => Key;
  /** Those that are others then. */
  readonly movedKeys: readonly GroupKey[];
}

/** The same from, to, zone and mode of another campaign, which is known or not. */
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

export interface Range {
  readonly from: EpochMs;
  readonly to: EpochMs;
}

/** Everything alike, 168 hours before: keys are of UTC, whose days all have 24. */
export function withWeekBefore(
  { by, filter }: Pick<ReportAsk, 'by' | 'filter'>,
  range: Range,
  { now, kept }: { readonly now: EpochMs; readonly kept: Kept },
): Comparison {
  const from = range.from - WEEK_HOURS * HOUR_MS;
  const to = range.to - WEEK_HOURS * HOUR_MS;
  const other = { ...filter, from, to };
  // Tags are those of revisions, which go with the days of their sends.
  const keptFrom = now - (filter.tag === undefined ? kept.reportsMs : kept.sendsMs);
  const isCut = [from, to].some((bound) => isInside(bound, now));
  const time = TIME_KEYS.find((key) => by.includes(key));
  const since = time === undefined ? -Infinity : finestSince(time, now);
  const ofInstant = (instant: EpochMs): NotCompared | null =>
    instant < keptFrom ? 'PAST_RETENTION' : instant < since ? 'KEPT_COARSER' : null;
  const ofAll = from < keptFrom ? 'PAST_RETENTION' : isCut ? 'KEPT_COARSER' : null;
  // Rows of which a part alone is kept are none.
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

/** Whether it lies inside an hour or a day that is kept as one. */
const isInside = (bound: EpochMs, now: EpochMs): boolean =>
  (bound < coarseBefore('day', now) && bound % DAY_MS !== 0) ||
  (bound < coarseBefore('hour', now) && bound % HOUR_MS !== 0);

/** From when on there are rows as fine as that. */
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
