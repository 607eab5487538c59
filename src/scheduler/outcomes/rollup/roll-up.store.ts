// Rolls up the outcomes of sends: adds each outcome of a page to the sums (docs/decisions/0054). The order of additions does not matter,
// so outcomes beyond a hole may be added first.
import type { Database, Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import { inSnapshot } from '../../../platform/database/snapshot.js';
import { sqlList } from '../../../platform/database/sql-list.js';
import { REPLACED_STATES } from '../../decide/lifecycle/send-state.js';
import { holdShards, SHARDS } from '../../store/hold-shards.js';
import { markReplacedCounts } from '../../store/read/standing.store.js';
import { BREAKDOWN_ROLLUP, wantBreakdowns, withdrawBreakdowns } from '../../store/rollup/breakdown.store.js';
import {
  BY_HOURS,
  CELL_KEYS,
  countedSends,
  ENDED,
  IS_NO_TEST,
  LENGTH_ROLLUP,
  lengthsOf,
  SEND_ROLLUP,
} from '../../store/rollup/counted-sends.js';
import { unreadBehind } from '../../store/unread-outcomes.js';
import { addTo, addToHours, coarsening, hourly } from '../../store/rollup/sums.js';
import type { LogAsk, TakenPage } from '../log/log-reader.js';
import type { CursorRow } from '../log/outcome-cursor.js';

// sql/scheduler/functions/read_log.sql; index rollup_retry_pkey; sends and cells by primary key, only in the partitions of their days.
// Locks the rows of the sums in the order of their keys. A campaign is in one shard, so nobody waits for its rows; processes that roll
// up other shards may wait for the rows of an hour. $3 is the most outcomes and also the most retries.
const ROLL_UP = prepared(`
with events as materialized (
  select l.shard, l.waits, l.fill_to, l.restored, (l.event).position, (l.event).send, (l.event).to_state
    from read_log('rollup', $1, $2, $3, $4) l),
retries as (
  delete from rollup_retry r where r.send = any(array(select n.send from rollup_retry n where n.shard = any($1) order by n.send limit $3))
  returning r.send, r.send_of),
moved as materialized (
  select w.id, sum(w.weight)::integer as weight
    from (select e.send as id, 1 as weight from events e where e.send is not null and e.to_state in ${ENDED}
          union all select r.send_of, -1 from retries r) w
   group by w.id having sum(w.weight) <> 0),
counted as materialized (${countedSends('moved')}),
measured as materialized (${lengthsOf(`(select * from counted c where ${IS_NO_TEST('c')})`, CELL_KEYS)}),
sends as (${addTo(SEND_ROLLUP, 'counted')}),
lengths as (${addTo(LENGTH_ROLLUP, 'measured')}),
send_hours as (${addToHours(SEND_ROLLUP, 'counted')}),
length_hours as (${addToHours(LENGTH_ROLLUP, 'measured')}),
opened as (
  insert into rollup_open (send)
  select distinct o.send from (select e.send from events e where e.send is not null and e.to_state = 'uncertain'
                               union all select r.send from retries r) o
   cross join lateral (select s.state from send s where s.id = o.send and s.ended_at >= ends_from(o.send) limit 1) s
   where s.state not in ${ENDED}
  on conflict do nothing),
closed as (
  delete from rollup_open o using events e where o.send = e.send and e.to_state in ${ENDED}),
wanted as (${wantBreakdowns('events')}),
replaced as (${markReplacedCounts(`select r.send_of from retries r
  union all select e.send from events e where e.to_state in ${sqlList(REPLACED_STATES)}`)})
select e.shard, e.waits, e.fill_to, e.restored, e.position,
       case row_number() over () when 1 then (select array_agg(r.send_of) from retries r) end as retried from events e`);

export async function rollUpPage(sql: Sql, ask: LogAsk, breakdownFrom: number): Promise<TakenPage> {
  const { shards, rowsOfShard, rows: most, ranges } = ask;
  if (shards.length === 0) return { rows: [], isCut: false, done: 0 };
  // The plan is for sends of any day: which partitions they are in is known only when it runs. Without these settings a partition that
  // was empty when it was analysed would be read whole for each send, until it is analysed again.
  await sql.query('set local enable_partition_pruning = on; set local enable_seqscan = off');
  const rows = await sql.query<CursorRow & { readonly retried: readonly string[] | null }>(ROLL_UP, [
    shards,
    rowsOfShard,
    most,
    ranges,
    breakdownFrom,
  ]);
  const retried = rows.flatMap((row) => row.retried ?? []);
  await withdrawBreakdowns(sql, retried);
  const events = rows.filter(({ position }) => position !== null).length;
  return { rows, isCut: retried.length >= most, done: events + retried.length };
}

export interface Behind {
  /** Events that are not rolled up, at most 100 000. */
  readonly events: number;
  /** The age of the oldest of them, milliseconds; null: there is none. */
  readonly ageMs: number | null;
}

/** The most events that are counted. */
const COUNTED = 100_000;

const BEHIND = `
select count(*)::float8 as events, extract(epoch from $1 - min(u.at))::float8 * 1000 as "ageMs"
  from (select e.at from outcome_cursor c cross join ${unreadBehind({ columns: 'e.at', most: COUNTED })}
         where c.consumer = 'rollup' limit ${COUNTED}) u`;

export async function rollUpBehind(sql: Sql, now: Date): Promise<Behind> {
  const [row] = await sql.query<Behind>(BEHIND, [now]);
  return row ?? { events: 0, ageMs: null };
}

/**
 * Whether the rollups lack an outcome of a send that ended by `endedBy`, or any retry: then the day of these sends must not be deleted
 * yet. Reads only days up to `endedBy`, by index send_event_position, one probe for each hole; when it read all days, 4 000 000 unread
 * events took 0.3 s.
 */
export async function rollUpLacks(database: Database, endedBy: Date): Promise<boolean> {
  return inSnapshot(database, async (sql) => {
    const [row] = await sql.query<{ lacks: boolean }>(
      `select exists (select from rollup_retry) or exists (
                select from outcome_cursor c cross join ${unreadBehind({ which: 'e.at <= $1' })}
                 where c.consumer = 'rollup') as lacks`,
      [endedBy],
    );
    return row?.lacks ?? false;
  });
}

const SUMS = [SEND_ROLLUP, LENGTH_ROLLUP, BREAKDOWN_ROLLUP, ...BY_HOURS.map(hourly)];

/**
 * Sums rows of minutes before `before` up to hours or days, at most `most` rows of each table. Nobody may roll up meanwhile; undefined:
 * somebody does, and it is not known whether any row is left. Reads each table's index by minute, from the oldest row on.
 */
export async function coarsenRollups(
  database: Database,
  before: Date,
  unit: 'hour' | 'day',
  most: number,
): Promise<number | undefined> {
  return database.transaction(async (sql) => {
    if ((await holdShards(sql, 'rollup')).length < SHARDS) return undefined;
    let rows = 0;
    for (const sums of SUMS) {
      const [done] = await sql.query<{ rows: number }>(coarsening(sums), [before, unit, most]);
      rows += done?.rows ?? 0;
    }
    return rows;
  });
}
