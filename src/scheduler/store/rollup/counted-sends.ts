// What a send counts as in the rollups (docs/decisions/0054), in SQL: by which keys, in which numbers, and into which bucket each of
// its lengths falls. The migration that makes them, the roller and the reports all count by it.
import { sqlList } from '../../../platform/database/sql-list.js';
import { ENDED_STATES, RETRYABLE_STATES } from '../../decide/lifecycle/send-state.js';
import type { Sums } from './sums.js';
import { goneSends, LENGTHS, measuredSends, STANDS } from '../send/measured-send.js';

const RETRYABLE = sqlList(RETRYABLE_STATES);
export const ENDED = sqlList(ENDED_STATES);

/** Keys of both rollups, beside the campaign, whose service it is. */
export const CELL_KEYS = ['zone', 'mode', 'device_type', 'country', 'local_hour'] as const;
const KEYS = ['minute', 'service_id', 'campaign', ...CELL_KEYS];
export const SEND_KEYS = [...KEYS, 'state', 'code'];
export const NUMBERS = ['sends', 'target', 'sent', 'failed'] as const;

/** Kinds of lengths, which are never mixed, in the order of LENGTHS. */
export const LENGTH_KINDS = ['immediate', 'reserved', 'deferral', 'recovered'] as const;
export type LengthKind = (typeof LENGTH_KINDS)[number];

/** A bucket's bounds are so far apart: what stands for it, the middle of both, is at most 2 % off. */
export const BUCKET_RATIO = 1.04;

const localHour = (due: string): string =>
  `extract(hour from ${due} at time zone 'UTC' + (k.local_reading #>> '{reading,offset}')::interval)::smallint`;

const FACTS = ['service_id', 'campaign', 'occurrence', 'cell', 'state', 'code', 'due', 'mode'];

/** SEND_KEYS of a send `m`, due then, and its cell `k`. */
export const keysOf = (m: string, due: string): string =>
  `date_trunc('minute', ${due}, 'UTC') as minute, ${m}.service_id, ${m}.campaign, k.zone, ${m}.mode, k.device_type, k.country,
       ${localHour(due)} as local_hour, ${m}.state, ${m}.code`;

/** Rows of keys, lengths and numbers of `measured`, a query's text, each of which counts `sends` times; tests count nowhere. */
const counted = (measured: string, due: string): string => `
select ${keysOf('m', due)}, ${LENGTHS.map((name) => `m.${name}`).join(', ')},
       ${NUMBERS.map((name) => `m.${name}`).join(', ')}
  from (${measured}) m
 cross join lateral (select k.* from cell k
                      where k.campaign = m.campaign and k.occurrence = m.occurrence and k.cell = m.cell limit 1) k
 where m.occurrence not like 'test-%'`;

const BY_ID = '(select s.* from send s where s.id = w.id limit 1)';

/**
 * What the sends of `ids` count as, a relation of id and weight, each id once: weight times; those of which `which` is so, of
 * a row w of them and the send m. By primary keys; where it runs, partitions are to be pruned. `send`: where w says already
 * what is counted of it.
 */
export const countedSends = (ids: string, which = 'true', send = BY_ID): string =>
  counted(
    `select ${[...FACTS, ...LENGTHS].map((name) => `m.${name}`).join(', ')},
            ${NUMBERS.map((name) => `w.weight * m.${name} as ${name}`).join(', ')}
       from ${ids} w cross join lateral (${measuredSends(send, STANDS)}) m
      where ${which}`,
    'm.due',
  );

/** What all ended sends that are the newest of their chunks count as. */
export const countedAll = (): string =>
  counted(`select * from (${measuredSends('send')}) l where l.state in ${ENDED}`, 'm.due');

/** What is kept of sends that are gone: when they were due is told by their cells alone. */
export const countedGone = (): string =>
  counted(`select g.*, null::text as code, 1 as sends from (${goneSends('send_gone')}) g`, 'k.due_at');

/**
 * Its lengths, a row each. Of those that may still be retried, and then count no more, the length itself is kept, so that
 * the greatest of those that are left is known.
 */
export const lengthsOf = (rows: string): string => `
select ${KEYS.map((name) => `c.${name}`).join(', ')}, l.kind, l.ms as max_ms,
       case when abs(l.ms) < 1 then 0
            else sign(l.ms) * (floor(ln(abs(l.ms)) / ln(${BUCKET_RATIO}::float8)) + 1) end::smallint as bucket,
       case when c.state in ${RETRYABLE} then l.ms end as exact_ms, c.sends
  from ${rows} c cross join lateral (values ${LENGTHS.map((name, at) => `('${LENGTH_KINDS[at]}', c.${name})`).join(', ')}) l(kind, ms)
 where l.ms is not null`;

export const SEND_ROLLUP: Sums = { table: 'send_rollup', keys: SEND_KEYS, added: NUMBERS };

/** Of rows as lengthsOf has them. */
export const LENGTH_ROLLUP: Sums = {
  table: 'length_rollup',
  keys: [...KEYS, 'kind', 'bucket', 'exact_ms'],
  added: ['sends'],
  greatest: ['max_ms'],
};

/** Summed up over all campaigns by hours too: addToHours beside each addTo, and where rows go. */
export const BY_HOURS = [SEND_ROLLUP, LENGTH_ROLLUP];
