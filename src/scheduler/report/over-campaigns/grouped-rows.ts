// The rows that a report over many campaigns adds up, in one snapshot: the rollups, ended sends that are not rolled up yet, and open
// sends as they stand. So a report is exact as of its snapshot, however far the rollups are behind (docs/decisions/0054).
import { sqlList } from '../../../platform/database/sql-list.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { ENDED_STATES } from '../../decide/lifecycle/send-state.js';
import { REPORTED_KEYS, reportedRows } from '../../store/rollup/breakdown.store.js';
import { DEVICE_OUTCOMES } from '../../store/rollup/reported-group.js';
import { countedSends, ENDED, IS_NO_TEST, NUMBERS, SEND_KEYS } from '../../store/rollup/counted-sends.js';
import { hourly, type Sums } from '../../store/rollup/sums.js';
import { LENGTHS } from '../../store/send/measured-send.js';

export interface ReportFilter {
  /** null: every service. */
  readonly serviceIds: readonly string[] | null;
  /** Due at or after it … */
  readonly from?: EpochMs | undefined;
  /** … and before it; both are whole minutes. */
  readonly to?: EpochMs | undefined;
  readonly campaign?: string | undefined;
  readonly zone?: string | undefined;
  readonly mode?: string | undefined;
  /** A tag of the newest revision of the campaign. */
  readonly tag?: string | undefined;
}

/** The other side of a comparison. */
export interface Against {
  readonly filter: ReportFilter;
  /** A minute of the other side is compared with the minute this many hours later. */
  readonly laterHours: number;
}

export interface ReportAsk {
  readonly by: readonly GroupKey[];
  readonly filter: ReportFilter;
  readonly order: RowOrder;
  readonly against?: Against | undefined;
}

const at = (instant: EpochMs | undefined): Date | null => (instant === undefined ? null : new Date(instant));

/** $1 to $8 of every statement with REPORT_ROWS. */
export function parametersOf(filter: ReportFilter): unknown[] {
  const { serviceIds, from, to, campaign = null, zone = null, mode = null, tag = null } = filter;
  return [serviceIds, at(from), at(to), campaign, zone, mode, tag, ENDED_STATES];
}

/**
 * The rows of `table`, a rollup or a relation like it, that the filter takes. `from` and `to` are expressions of $2 and $3. Whether
 * these are null is a condition of its own, so that the planner sees it and reads an index between them.
 */
export const filtered = (columns: string, table: string, from = '$2', to = '$3'): string => `
select ${columns} from ${table} p
 where ($1::text[] is null or p.service_id = any($1)) and ($2::timestamptz is null or p.minute >= ${from})
   and ($3::timestamptz is null or p.minute < ${to}) and ($4::uuid is null or p.campaign = $4)
   and ($5::text is null or p.zone = $5) and ($6::text is null or p.mode = $6)
   and ($7::text is null or exists (select from campaign c join revision r on r.campaign = c.id and r.revision = c.revision
                                     where c.id = p.campaign and jsonb_exists(r.data -> 'tags', $7)))`;

/** The whole hours of a range: from the first that begins in it (which may be after its end) up to the one in which it ends. */
const FIRST_HOUR = `date_trunc('hour', $2::timestamptz + interval '1 hour' - interval '1 microsecond', 'UTC')`;
const LAST_HOUR = `date_trunc('hour', $3::timestamptz, 'UTC')`;

const HOUR_MS = 3_600_000;

/** Keys that sums by the hour do not have. */
const FINER: readonly GroupKey[] = ['minute', 'campaign'];

/**
 * The rows of `sums` that the filter takes. For whole hours it reads the sums over all campaigns, where these have the keys asked
 * for.
 */
export function rolledUp(
  columns: string,
  sums: Sums,
  { by, filter }: Pick<ReportAsk, 'by' | 'filter'>,
): string {
  const isFiner =
    by.some((key) => FINER.includes(key)) || filter.campaign !== undefined || filter.tag !== undefined;
  const table = `(select * from ${sums.table} t where ${IS_NO_TEST('t')})`;
  if (isFiner) return filtered(columns, table);
  const hours = `(select null::uuid as campaign, h.* from ${hourly(sums).table} h)`;
  const branches = [filtered(columns, hours, FIRST_HOUR, LAST_HOUR)];
  // A branch that cannot have rows is left out, so that PostgreSQL need not plan it.
  if (!isOfWholeHour(filter.from)) branches.push(`${filtered(columns, table)} and p.minute < ${FIRST_HOUR}`);
  if (!isOfWholeHour(filter.to))
    branches.push(`${filtered(columns, table)} and p.minute >= greatest(${FIRST_HOUR}, ${LAST_HOUR})`);
  return branches.join(' union all ');
}

const isOfWholeHour = (instant: EpochMs | undefined): boolean =>
  instant === undefined || instant % HOUR_MS === 0;

const REPORTED_COLUMNS = [...SEND_KEYS, ...REPORTED_KEYS, 'devices'].join(', ');

/**
 * The beginning of a WITH: `lacking` has the rows of countedSends, of ended and of open sends, that the rollups do not have yet
 * (sql/scheduler/functions/lacking_sends.sql).
 */
export const REPORT_ROWS = `
named as materialized (select * from lacking_sends($4, $2, $3, $8)),
lacking as materialized (
  select ${[...SEND_KEYS, ...LENGTHS, ...NUMBERS].join(', ')}
    from (${countedSends('named', `w.living = (m.state not in ${ENDED}) and ${IS_NO_TEST('m')}`, '(select w.*)')}) c)`;

const OF_DEVICES = sqlList(DEVICE_OUTCOMES);

/** Keys that a breakdown reports for requests that were not split by them. */
export const REPORTED_GROUP_KEYS: readonly GroupKey[] = ['deviceType', 'country', 'language'];

/**
 * After REPORT_ROWS: `reported` has the rows of breakdown_rollup, less those of sends that a retry has replaced since. Index
 * breakdown_rollup_minute.
 */
export const REPORTED_ROWS = `
withdrawn as (${reportedRows('(select b.*, w.weight from named w join send_breakdown b on b.send = w.id where w.weight < 0) b', 'b.weight')}),
reported as (${filtered(REPORTED_COLUMNS, 'breakdown_rollup')} and p.outcome in ${OF_DEVICES}
             union all ${filtered(REPORTED_COLUMNS, 'withdrawn')} and p.outcome in ${OF_DEVICES})`;

const instantOf = (unit: string, minute: string): string =>
  `to_char(date_trunc('${unit}', ${minute}, 'UTC') at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`;

/** The keys that rows may be grouped by, as text, of a row `m`; `minute`: the expression of its minute. */
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

/** `keys` as the columns k1 and k2, with minutes moved `laterHours` later. */
export const keyColumns = (keys: readonly GroupKey[], laterHours: number): string =>
  [0, 1].map((index) => `${keyAt(keys[index], laterHours)} as k${index + 1}`).join(', ');

const keyAt = (key: GroupKey | undefined, laterHours: number): string =>
  key === undefined
    ? `''::text`
    : GROUP_KEYS[key](laterHours === 0 ? 'm.minute' : `(m.minute + interval '${laterHours} hours')`);

export const ROW_ORDERS = ['key', '-key', '-planned'] as const;
export type RowOrder = (typeof ROW_ORDERS)[number];

/** A page begins after the row with these keys ('' for none) and this many planned requests. */
export interface RowPlace {
  readonly k1: string;
  readonly k2: string;
  readonly planned: number;
}

const PLACE = `(coalesce(k1, '') collate "C", coalesce(k2, '') collate "C")`;

/** The page of rows with k1, k2, planned and whole: $9 to $11 name the place before it, $12 how many rows. The whole comes first. */
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
