// SQL that counts sends for the rollups (docs/decisions/0054): under which keys, in which numbers, and in which bucket each of its
// lengths. Rolling up and reports both use it.
import { sqlList } from '../../../platform/database/sql-list.js';
import { ENDED_STATES, RETRYABLE_STATES } from '../../decide/lifecycle/send-state.js';
import type { Sums } from './sums.js';
import { LENGTHS, measuredSends, STANDS } from '../send/measured-send.js';

const RETRYABLE = sqlList(RETRYABLE_STATES);
export const ENDED = sqlList(ENDED_STATES);

/** The keys of all rollups … */
const KEYS = ['minute', 'service_id', 'campaign', 'zone', 'mode', 'device_type', 'country', 'local_hour'];
export const SEND_KEYS = [...KEYS, 'state', 'code'];
/** … and the keys of a cell and of the day on which its sends ended: by these, sums count in place of sends that are gone. */
export const CELL_KEYS = ['day', 'occurrence', 'cell'];
export const NUMBERS = ['sends', 'target', 'sent', 'failed'] as const;

/** The kinds of lengths, in the order of LENGTHS. They are never mixed. */
export const LENGTH_KINDS = ['immediate', 'reserved', 'deferral', 'recovered'] as const;
export type LengthKind = (typeof LENGTH_KINDS)[number];

/** The ratio of a bucket's bounds: so the middle of a bucket, which reports show, is at most 2 % off. */
export const BUCKET_RATIO = 1.04;

const localHour = (due: string): string =>
  `extract(hour from ${due} at time zone 'UTC' + (k.local_reading #>> '{reading,offset}')::interval)::smallint`;

const FACTS = [
  'service_id',
  'campaign',
  'occurrence',
  'cell',
  'state',
  'code',
  'due',
  'mode',
  'ended_at',
  'handed_off',
];

/** SEND_KEYS of a send `m` and its cell `k`; `due`: when it was due. */
export const keysOf = (m: string, due: string): string =>
  `date_trunc('minute', ${due}, 'UTC') as minute, ${m}.service_id, ${m}.campaign, k.zone, ${m}.mode, k.device_type, k.country,
       ${localHour(due)} as local_hour, ${m}.state, ${m}.code`;

/** Whether a row with a cell is no test. */
export const IS_NO_TEST = (row: string): string => `${row}.occurrence not like 'test-%'`;

/** An end before the oldest day, by a clock that was set back, counts on that day: they are dropped together (day-drop.store.ts). */
const DAY = `(greatest(m.ended_at, (select kept_from('send'))) at time zone 'UTC')::date`;

/** Rows of keys, lengths and numbers from a query of measured sends. */
export const counted = (measured: string, due: string): string => `
select ${keysOf('m', due)}, ${DAY} as day, m.occurrence, m.cell, m.handed_off, ${LENGTHS.map((name) => `m.${name}`).join(', ')},
       ${NUMBERS.map((name) => `m.${name}`).join(', ')}
  from (${measured}) m
 cross join lateral (select k.* from cell k
                      where k.campaign = m.campaign and k.occurrence = m.occurrence and k.cell = m.cell limit 1) k`;

const BY_ID = '(select s.* from send s where s.id = w.id and s.ended_at >= ends_from(w.id) limit 1)';

/**
 * Rows that count the sends of `ids`, a relation of id and weight with each id once: a send counts `weight` times. `which`: a condition
 * on the row w of `ids` and the send m. `send`: the row of the send, for a relation that already has all of its columns. By primary
 * keys; the statement needs partition pruning.
 */
export const countedSends = (ids: string, which = 'true', send = BY_ID): string =>
  counted(
    `select ${[...FACTS, ...LENGTHS].map((name) => `m.${name}`).join(', ')},
            ${NUMBERS.map((name) => `w.weight * m.${name} as ${name}`).join(', ')}
       from ${ids} w cross join lateral (${measuredSends(send, STANDS)}) m
      where ${which}`,
    'm.due',
  );

/**
 * One row for each length of `rows`, with the keys and `more` columns. A send that a retry may replace keeps its exact length, so that
 * the greatest of the remaining lengths is known when it is subtracted.
 */
export const lengthsOf = (rows: string, more: readonly string[] = []): string => `
select ${[...KEYS, ...more].map((name) => `c.${name}`).join(', ')}, l.kind, l.ms as max_ms,
       case when abs(l.ms) < 1 then 0
            else sign(l.ms) * (floor(ln(abs(l.ms)) / ln(${BUCKET_RATIO}::float8)) + 1) end::smallint as bucket,
       case when c.state in ${RETRYABLE} then l.ms end as exact_ms, c.sends
  from ${rows} c cross join lateral (values ${LENGTHS.map((name, at) => `('${LENGTH_KINDS[at]}', c.${name})`).join(', ')}) l(kind, ms)
 where l.ms is not null`;

export const SEND_ROLLUP: Sums = {
  table: 'send_rollup',
  keys: [...SEND_KEYS, ...CELL_KEYS, 'handed_off'],
  added: NUMBERS,
};

/** Sums of the rows of lengthsOf. */
export const LENGTH_ROLLUP: Sums = {
  table: 'length_rollup',
  keys: [...KEYS, ...CELL_KEYS, 'kind', 'bucket', 'exact_ms'],
  added: ['sends'],
  greatest: ['max_ms'],
};

/** The middle of a row's bucket, milliseconds: at most 2 % from each of its lengths. */
export const BUCKET_MIDDLE = (g: string): string => `case when ${g}.bucket = 0 then 0
            else sign(${g}.bucket) * power(${BUCKET_RATIO}::float8, abs(${g}.bucket) - 0.5) end`;

/**
 * Sends that are gone, in the columns of measuredSends() that reports read: one row for all that are equal, and a row without state for
 * each of their lengths, so that percentiles include them. `gone`: a relation of the rows of a rollup that count.
 */
export const goneSends = (gone: (sums: Sums) => string): string => `
select g.service_id, g.campaign, g.occurrence, g.cell, g.state, g.mode, g.handed_off,
       ${LENGTHS.map((name) => `null::float8 as ${name}`).join(', ')}, ${NUMBERS.map((name) => `g.${name}`).join(', ')}
  from ${gone(SEND_ROLLUP)} g
union all
select g.service_id, g.campaign, g.occurrence, g.cell, null, g.mode, false,
       ${LENGTHS.map((name, at) => `case g.kind when '${LENGTH_KINDS[at]}' then l.ms end as ${name}`).join(', ')},
       ${NUMBERS.map(() => '0').join(', ')}
  from ${gone(LENGTH_ROLLUP)} g cross join generate_series(1, g.sends) n
 cross join lateral (
   select coalesce(g.exact_ms, case n when 1 then g.max_ms else least(g.max_ms, round(${BUCKET_MIDDLE('g')})) end) as ms) l`;

/** The view of the rows of a rollup whose day is gone. */
export const goneOf = ({ table }: Sums): string => table.replace('rollup', 'gone');

/** The rollups that also have sums by hour over all campaigns: each addTo() and each delete has an addToHours() beside it. */
export const BY_HOURS = [SEND_ROLLUP, LENGTH_ROLLUP];
