// What a report over many campaigns is summed up from, of one snapshot: the rollups, what is not rolled up yet, and the sends
// that are open, counted as they stand. So it is exact as of its snapshot, however far the rollups are behind (docs/decisions/0054).
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { ENDED_STATES } from '../../decide/lifecycle/send-state.js';
import { TOLD_KEYS, toldRows } from './breakdown.store.js';
import { countedSends, ENDED, SEND_KEYS } from './counted-sends.js';
import { hourly, type Sums } from './sums.js';

export interface ReportFilter {
  /** null: every service. */
  readonly serviceIds: readonly string[] | null;
  /** Due at or after it … */
  readonly from?: EpochMs | undefined;
  /** … and before it; of both whole minutes. */
  readonly to?: EpochMs | undefined;
  readonly campaign?: string | undefined;
  readonly zone?: string | undefined;
  readonly mode?: string | undefined;
  /** Of the newest revision of its campaign. */
  readonly tag?: string | undefined;
}

/** The other side. */
export interface Against {
  readonly filter: ReportFilter;
  /** Its minutes stand beside those so many hours later. */
  readonly laterHours: number;
}

export interface ReportAsk {
  readonly by: readonly GroupKey[];
  readonly filter: ReportFilter;
  readonly order: RowOrder;
  readonly against?: Against | undefined;
}

const at = (instant: EpochMs | undefined): Date | null => (instant === undefined ? null : new Date(instant));

/** $1 to $8 of every statement over REPORT_PARTS. */
export function parametersOf(filter: ReportFilter): unknown[] {
  const { serviceIds, from, to, campaign = null, zone = null, mode = null, tag = null } = filter;
  return [serviceIds, at(from), at(to), campaign, zone, mode, tag, ENDED_STATES];
}

/**
 * Rows of `table`, a rollup or alike, that the filter takes; `from` and `to`: expressions of $2 and $3, which alone tell the planner
 * whether there are any, so that an index is read between them.
 */
export const filtered = (columns: string, table: string, from = '$2', to = '$3'): string => `
select ${columns} from ${table} p
 where ($1::text[] is null or p.service_id = any($1)) and ($2::timestamptz is null or p.minute >= ${from})
   and ($3::timestamptz is null or p.minute < ${to}) and ($4::uuid is null or p.campaign = $4)
   and ($5::text is null or p.zone = $5) and ($6::text is null or p.mode = $6)
   and ($7::text is null or exists (select from campaign c join revision r on r.campaign = c.id and r.revision = c.revision
                                     where c.id = p.campaign and jsonb_exists(r.data -> 'tags', $7)))`;

/** The whole hours of a range: from the first that begins in it, which may be behind its end, until the one that it ends in. */
const FIRST_HOUR = `date_trunc('hour', $2::timestamptz + interval '1 hour' - interval '1 microsecond', 'UTC')`;
const LAST_HOUR = `date_trunc('hour', $3::timestamptz, 'UTC')`;

const HOUR_MS = 3_600_000;

/** Keys that the sums of hours do not have. */
const FINER: readonly GroupKey[] = ['minute', 'campaign'];

/** Rows of `sums` that the filter takes: of whole hours those over all campaigns, wherever these tell all that is asked for. */
export function rolledUp(
  columns: string,
  sums: Sums,
  { by, filter }: Pick<ReportAsk, 'by' | 'filter'>,
): string {
  const isFiner =
    by.some((key) => FINER.includes(key)) || filter.campaign !== undefined || filter.tag !== undefined;
  if (isFiner) return filtered(columns, sums.table);
  const hours = `(select null::uuid as campaign, h.* from ${hourly(sums).table} h)`;
  const parts = [filtered(columns, hours, FIRST_HOUR, LAST_HOUR)];
  // What need not be planned.
  if (!isOfWholeHour(filter.from))
    parts.push(`${filtered(columns, sums.table)} and p.minute < ${FIRST_HOUR}`);
  if (!isOfWholeHour(filter.to))
    parts.push(`${filtered(columns, sums.table)} and p.minute >= greatest(${FIRST_HOUR}, ${LAST_HOUR})`);
  return parts.join(' union all ');
}

const isOfWholeHour = (instant: EpochMs | undefined): boolean =>
  instant === undefined || instant % HOUR_MS === 0;

const TOLD_COLUMNS = [...SEND_KEYS, ...TOLD_KEYS, 'devices'].join(', ');

/**
 * The beginning of a WITH: `lacking` are the rows of countedSends that the rollups lack, ended and open ones
 * (sql/scheduler/functions/lacking_sends.sql).
 */
export const REPORT_PARTS = `
named as materialized (select * from lacking_sends($4, $2, $3, $8)),
lacking as materialized (${countedSends('named', `w.living = (m.state not in ${ENDED})`, '(select w.*)')})`;

/** Keys that a breakdown tells where a request was not split by them. */
export const TOLD_GROUP_KEYS: readonly GroupKey[] = ['deviceType', 'country', 'language'];

/**
 * Behind REPORT_PARTS: `told` are rows of breakdown_rollup, less what was told of sends that a retry took the place of since. Index
 * breakdown_rollup_minute.
 */
export const TOLD_PARTS = `
withdrawn as (${toldRows('(select b.*, w.weight from named w join send_breakdown b on b.send = w.id where w.weight < 0) b', 'b.weight')}),
told as (${filtered(TOLD_COLUMNS, 'breakdown_rollup')} union all ${filtered(TOLD_COLUMNS, 'withdrawn')})`;

const instantOf = (unit: string, minute: string): string =>
  `to_char(date_trunc('${unit}', ${minute}, 'UTC') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** What rows are grouped by, as text, of a part m whose minute is that. */
export const GROUP_KEYS = {
  minute: (minute) => instantOf('minute', minute),
  hour: (minute) => instantOf('hour', minute),
  day: (minute) => `to_char(${minute} at time zone 'UTC', 'YYYY-MM-DD')`,
  localHour: () => `to_char(m.local_hour, 'FM00')`,
  zone: () => 'm.zone',
  country: () => 'm.country',
  deviceType: () => 'm.device_type',
  language: () => 'm.language',
  mode: () => 'm.mode',
  project: () => 'm.service_id',
  campaign: () => 'm.campaign::text',
  code: () => 'm.code',
} as const satisfies Record<string, (minute: string) => string>;
export type GroupKey = keyof typeof GROUP_KEYS;
/** A row's keys by name; null: it has none. */
export type Key = Partial<Record<GroupKey, string | null>>;

/** `keys` as the columns k1 and k2, of minutes that many hours later. */
export const keyColumns = (keys: readonly GroupKey[], laterHours: number): string =>
  [0, 1].map((index) => `${keyAt(keys[index], laterHours)} as k${index + 1}`).join(', ');

const keyAt = (key: GroupKey | undefined, laterHours: number): string =>
  key === undefined
    ? `''::text`
    : GROUP_KEYS[key](laterHours === 0 ? 'm.minute' : `(m.minute + interval '${laterHours} hours')`);

export const ROW_ORDERS = ['key', '-key', '-planned'] as const;
export type RowOrder = (typeof ROW_ORDERS)[number];

/** Where a page begins: after the row of these keys ('' where one has none) and so many planned. */
export interface RowPlace {
  readonly k1: string;
  readonly k2: string;
  readonly planned: number;
}

const PLACE = `(coalesce(k1, '') collate "C", coalesce(k2, '') collate "C")`;

/** Over rows with k1, k2, planned and whole, of which $9 to $12 name the place before and how many; first the one that is the whole. */
export function pageIn(order: RowOrder): string {
  const down = order === '-key';
  const key = `${PLACE} ${down ? '<' : '>'} ($9::text collate "C", $10::text collate "C")`;
  const by = [1, 2].map((n) => `coalesce(k${n}, '') collate "C" ${down ? 'desc' : 'asc'}`).join(', ');
  const page = (after: string, sorted: string): string =>
    `where whole or $9::text is null or ${after} order by whole desc, ${sorted} limit $12::bigint + 1`;
  return order === '-planned'
    ? page(`planned < $11::float8 or planned = $11 and ${key}`, `planned desc, ${by}`)
    : page(`${key} and $11::float8 is not null`, by);
}

export const placeParameters = (after: RowPlace | undefined, limit: number): unknown[] => [
  after?.k1 ?? null,
  after?.k2 ?? null,
  after?.planned ?? null,
  limit,
];
