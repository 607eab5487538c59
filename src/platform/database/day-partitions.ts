// Daily partitions are made ahead, for who writes a row of a day that nobody has made is refused, and taken off their tables
// once they are old (docs/decisions/0001).
import { scheduler } from 'node:timers/promises';
import { isDatabaseAway, passesByItself } from './database-away.js';
import type { Database, Sql } from './database.js';
import { errorCode } from '../error-code.js';
import type { Finding } from '../http/health.js';

/** Yesterday's for whose clock is a little behind; those ahead outlast housekeeping that fails for a weekend. */
const [DAYS_BACK, DAYS_AHEAD] = [1, 3];

/** Days of which a table has no partition by the day's own name: as a rule none, and read off the catalogue's index. */
const UNNAMED = `
select c.relname as parent, d.day
  from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
 cross join (select $1::timestamptz + n * interval '24 hours' as day from generate_series(${-DAYS_BACK}, ${DAYS_AHEAD}) n) d
 where c.relnamespace = current_schema()::regnamespace
   and not exists (select from pg_class t
                    where t.relname = c.relname || to_char(d.day at time zone 'UTC', '_YYYY_MM_DD')
                      and t.relnamespace = c.relnamespace and t.relispartition)`;

/** Of those, the days that no other partition holds: each one's bounds are read, of hundreds, some 20 µs each. */
const MISSING = `
with held as materialized (select parent, low, high from day_partition)
select u.parent, u.day from (${UNNAMED}) u
 where not exists (select from held h where h.parent = u.parent and h.low <= u.day and u.day < h.high)
 order by 2, 1`;

interface MissingDay {
  readonly parent: string;
  readonly day: Date;
}

async function missingDays(sql: Sql, now: Date): Promise<MissingDay[]> {
  const unnamed = await sql.query(`${UNNAMED} limit 1`, [now]);
  return unnamed.length === 0 ? [] : sql.query<MissingDay>(MISSING, [now]);
}

/** Times that a table may be busy for the half second that its new partition waits for it. */
const BUSY_TIMES = 20;
/** Who waits behind the one who waits for the table gets on meanwhile; real milliseconds. */
const LET_OTHERS_MS = 500;

/**
 * Partitions of yesterday, of today and of the next days, of every table that has any; where none is missing, a look at
 * the catalogue. Each in a transaction of its own: whoever waits for one table's lock holds no other's. Nobody who writes,
 * reads or dumps waits for it, or it for them; only one ATTACH or DETACH of a table for another. Rejects where that lasts.
 */
export async function ensurePartitions(sql: Sql, now: Date): Promise<void> {
  for (const { parent, day } of await missingDays(sql, now))
    await patiently(() => sql.query('select add_day_partition($1, $2)', [parent, day]));
}

/** How many whole days after today's have partitions of every table, counted without a gap, up to those made ahead. */
export async function daysAhead(sql: Sql, now: Date): Promise<number> {
  const missing = await missingDays(sql, now);
  const ahead = missing.map(({ day }) => Math.round((day.getTime() - now.getTime()) / 86_400_000) - 1);
  return Math.min(DAYS_AHEAD, ...ahead.filter((days) => days >= -1));
}

/** Tries again while a table is busy, and throws where it stays so. */
export async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let busy = 0; ; busy += 1) {
    try {
      return await work();
    } catch (error) {
      if (busy >= BUSY_TIMES || !isBusy(error)) throw error;
      await scheduler.wait(LET_OTHERS_MS);
    }
  }
}

/** Whether a table is in use now, and the same may be done later. */
export function isBusy(error: unknown): boolean {
  return passesByItself(error) && !isDatabaseAway(error);
}

/** Whose day has no partition is refused by the database: who finds them wanting has two days left to mend it. */
const FEWEST_DAYS = 2;

/** What is wrong where too few days are ahead, with what to do about it. */
export async function daysFinding(sql: Sql, now: Date, remedy: string): Promise<Finding> {
  // A database that is away, or not migrated, is its own check's to tell.
  const days = await daysAhead(sql, now).catch(() => undefined);
  if (days === undefined || days >= FEWEST_DAYS) return undefined;
  const until =
    days < 0 ? 'not even today has its partitions' : `partitions are there for today and ${days} days more`;
  return `${until}: ${remedy}`;
}

/**
 * What `work` returns; undefined where another process retires days of this schema now. It has connections of its own for
 * what it does: a partition is not detached inside a transaction.
 */
export async function alone<Result>(
  database: Database,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  return database.transaction(async (sql) => {
    // It is idle for as long as the work takes; ended for that, it would let the next one in beside it.
    await sql.query('set local idle_in_transaction_session_timeout = 0');
    // Without parameters: the portal of a prepared statement keeps its snapshot, and FINALIZE would wait for it.
    const [held] = await sql.query<{ held: boolean }>(
      "select pg_try_advisory_xact_lock(hashtext('carillon retention ' || current_schema())) as held",
    );
    return held?.held === true ? work() : undefined;
  });
}

/** Already being detached: a process ended before it was done, or waits for who still reads it. */
const IS_GOING = '55000';

/**
 * Takes a partition off its table, locking nobody out; it waits for who still reads it, and false says that they took too
 * long. From its first moment on nobody finds its rows: finishDrops does the rest.
 */
export async function detachDay(sql: Sql, parent: string, name: string): Promise<boolean> {
  try {
    await sql.query(`alter table ${parent} detach partition ${name} concurrently`);
    return true;
  } catch (error) {
    if (isBusy(error) || errorCode(error) === IS_GOING) return false;
    throw error;
  }
}

const LEFT_OVER = `
select c.relname as name from pg_class c
 where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and not c.relispartition
   and substring(c.relname from '^(.*)_(?:\\d{4}_\\d\\d_\\d\\d|old)$')
       in (select p.relname from pg_partitioned_table t join pg_class p on p.oid = t.partrelid)`;

/** Who reads meanwhile is waited for so long, with locks that only the making of days minds; real milliseconds. */
const FINALIZED_WITHIN_MS = 10_000;

/** A partition that is off its table for whoever comes, and waits for those who came before. */
export interface GoingDay {
  readonly parent: string;
  readonly name: string;
  /** Who may read it still, longest first, at most three of them: process id, name, and since when. */
  readonly readers: readonly string[];
}

// Whose snapshot is no younger than the change that took it off. They become fewer alone: whoever begins later has another.
const GOING = `
select p.parent, p.name, array(
         select concat(a.pid, ' (', coalesce(nullif(a.application_name, ''), a.usename, '?'), ')',
                       to_char(a.xact_start at time zone 'UTC', '" since "YYYY-MM-DD"T"HH24:MI:SS"Z"'))
           from pg_stat_activity a
          where a.datname = current_database() and a.pid <> pg_backend_pid() and age(a.backend_xmin) >= age(i.xmin)
            and coalesce(a.backend_type, 'client backend') = 'client backend'
          order by a.xact_start limit 3) as readers
  from day_partition p join pg_inherits i on i.inhrelid = to_regclass(format('%I', p.name))
 where p.is_going order by p.low, p.parent`;

export async function goingDays(sql: Sql): Promise<GoingDay[]> {
  return sql.query<GoingDay>(GOING);
}

/** What is told of days that wait to be dropped; undefined where none does. */
export function goingFinding(going: readonly GoingDay[]): Finding {
  if (going.length === 0) return undefined;
  const readers = [...new Set(going.flatMap((day) => day.readers))];
  const whom =
    readers.length === 0 ? 'the next round takes them' : `end who still reads: ${readers.join(', ')}`;
  return `${going.map(({ name }) => name).join(', ')} cannot be dropped yet: ${whom}`;
}

/**
 * Ends what was begun, here or by a process that is gone: partitions half detached, and those that are no table's any more.
 * Not while somebody may read it still: he would wait for us as we for him. Each is tried for a while only, and holds up no
 * other; goingDays tells what waits, and for whom.
 */
export async function finishDrops(database: Database): Promise<void> {
  for (const { parent, name, readers } of await goingDays(database))
    if (readers.length === 0)
      await forAMoment(database, `alter table ${parent} detach partition ${name} finalize`);
  for (const { name } of await database.query<{ name: string }>(LEFT_OVER))
    await forAMoment(database, `drop table ${name}`);
}

async function forAMoment(database: Database, text: string): Promise<void> {
  try {
    await database.transaction(async (sql) => {
      await sql.query(`set local statement_timeout = ${FINALIZED_WITHIN_MS}`);
      await sql.query('set local lock_timeout = 200');
      await sql.query(text);
    });
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}
