// Makes daily partitions ahead, because the database refuses a row of a day without a partition. Detaches them from their tables
// once they are old (docs/decisions/0001).
import { scheduler } from 'node:timers/promises';
import { isDatabaseAway, passesByItself } from './database-away.js';
import { anyRow, type Database, type Sql } from './database.js';
import { errorCode } from '../logging/error-code.js';
import type { Finding } from '../http/health.js';

/** One day back for clocks that are a little behind. Three days ahead last for a weekend in which housekeeping fails. */
const [DAYS_BACK, DAYS_AHEAD] = [1, 3];

/**
 * Days for which a table has no partition of the day's name: normally none. A partition that is being detached takes no rows.
 * Reads the catalogue by its indexes.
 */
const UNNAMED = `
select c.relname as parent, d.day
  from pg_partitioned_table p join pg_class c on c.oid = p.partrelid
 cross join (select $1::timestamptz + n * interval '24 hours' as day from generate_series(${-DAYS_BACK}, ${DAYS_AHEAD}) n) d
 where c.relnamespace = current_schema()::regnamespace
   and not exists (select from pg_class t join pg_inherits i on i.inhrelid = t.oid and not i.inhdetachpending
                    where t.relname = c.relname || to_char(d.day at time zone 'UTC', '_YYYY_MM_DD')
                      and t.relnamespace = c.relnamespace)`;

/** Those of the UNNAMED days that no other partition covers. Reads the bounds of all partitions: hundreds, at some 20 µs each. */
const MISSING = `
with held as materialized (select parent, low, high from day_partition where not is_going)
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

/** How often a table may be busy. Each time its new partition waits half a second for it. */
const BUSY_TIMES = 20;
/** A pause in which those who wait behind us for the table can go on; real milliseconds. */
const LET_OTHERS_MS = 500;

/**
 * Makes the partitions of yesterday, today and the next days for every partitioned table. If none is missing, it only reads the
 * catalogue. It makes each in a transaction of its own, so that nobody waits for the lock of one table while they hold that of
 * another. It does not wait for writers, readers and dumps, and they do not wait for it. Only ATTACH and DETACH of one table wait
 * for each other. Rejects if that lasts too long.
 */
export async function ensurePartitions(sql: Sql, now: Date): Promise<void> {
  for (const { parent, day } of await missingDays(sql, now))
    await patiently(() => sql.query('select add_day_partition($1, $2)', [parent, day]));
}

/** For how many days after today every table has partitions, counted up to the first gap and at most to DAYS_AHEAD. */
export async function daysAhead(sql: Sql, now: Date): Promise<number> {
  const missing = await missingDays(sql, now);
  const ahead = missing.map(({ day }) => Math.round((day.getTime() - now.getTime()) / 86_400_000) - 1);
  return Math.min(DAYS_AHEAD, ...ahead.filter((days) => days >= -1));
}

/** Tries again while a table is busy, and throws where it stays busy. */
async function patiently<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let busy = 0; ; busy += 1) {
    try {
      return await work();
    } catch (error) {
      if (busy >= BUSY_TIMES || !isBusy(error)) throw error;
      await scheduler.wait(LET_OTHERS_MS);
    }
  }
}

/** Whether a table is in use now, so that the same may succeed later. */
export function isBusy(error: unknown): boolean {
  return passesByItself(error) && !isDatabaseAway(error);
}

/** With fewer days ahead something is wrong. Two days are then left for repair before the database refuses rows. */
const FEWEST_DAYS = 2;

/** What is wrong where too few days are ahead; `remedy` says what to do. */
export async function daysFinding(sql: Sql, now: Date, remedy: string): Promise<Finding> {
  // Other checks find a database that is away or not migrated.
  const days = await daysAhead(sql, now).catch(() => undefined);
  if (days === undefined || days >= FEWEST_DAYS) return undefined;
  const until =
    days < 0 ? 'not even today has its partitions' : `partitions are there for today and ${days} days more`;
  return `${until}: ${remedy}`;
}

/**
 * Runs `work` and returns its result; undefined where another process drops days of this schema. `work` needs connections of its
 * own: a partition cannot be detached inside a transaction.
 */
export async function alone<Result>(
  database: Database,
  work: () => Promise<Result>,
): Promise<Result | undefined> {
  return database.transaction(async (sql) => {
    // This transaction is idle while the work runs. If the server ended it for that, another process could start beside us.
    await sql.query('set local idle_in_transaction_session_timeout = 0');
    // Without parameters: the portal of a prepared statement would keep its snapshot, and FINALIZE would wait for it.
    const [held] = await sql.query<{ held: boolean }>(
      "select pg_try_advisory_xact_lock(hashtext('carillon retention ' || current_schema())) as held",
    );
    return held?.held === true ? work() : undefined;
  });
}

/** SQLSTATE: the partition is already being detached, by a process that ended half-way or that waits for readers. */
const IS_GOING = '55000';

/**
 * Detaches a partition from its table without locking anybody out. It waits for those who still read it; false: they took too
 * long. Nobody new finds its rows from then on. finishDrops() does the rest.
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

/**
 * The lock with which add_day_partition() begins. Where a clock was set back, that function may attach or drop a table that is
 * left over. So one of the two runs wholly before the other.
 */
const ALONE_WITH_MAKERS = "select pg_advisory_xact_lock(hashtext('add_day_partition'))";

/** How long FINALIZE waits for readers; real milliseconds. Meanwhile its locks only conflict with the making of days. */
const FINALIZED_WITHIN_MS = 10_000;

/** A partition that is detached for everybody new, and waits for readers who came before. */
export interface GoingDay {
  readonly parent: string;
  readonly name: string;
  /** Who may still read it: process id, name, and since when. The oldest first, at most three. */
  readonly readers: readonly string[];
}

// Its readers are those whose snapshot is not younger than the detaching. They only become fewer: later snapshots do not see it.
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

/** Says which days wait to be dropped, and why; undefined where none does. */
export function goingFinding(going: readonly GoingDay[]): Finding {
  if (going.length === 0) return undefined;
  const readers = [...new Set(going.flatMap((day) => day.readers))];
  const action =
    readers.length === 0 ? 'the next round takes them' : `end who still reads: ${readers.join(', ')}`;
  return `${going.map(({ name }) => name).join(', ')} cannot be dropped yet: ${action}`;
}

/**
 * Finishes drops that this process or another began: partitions that are half detached, and partitions that belong to no table
 * any more. Skips partitions that somebody may still read: we would wait for the reader, and the reader for us. It tries each for
 * a short time only, and none holds up another. goingDays() shows what waits, and for whom.
 */
export async function finishDrops(database: Database): Promise<void> {
  for (const { parent, name, readers } of await goingDays(database))
    if (readers.length === 0)
      await forAMoment(database, (sql) =>
        sql.query(`alter table ${parent} detach partition ${name} finalize`),
      );
  for (const { name } of await database.query<{ name: string }>(LEFT_OVER)) {
    await forAMoment(database, async (sql) => {
      await sql.query(ALONE_WITH_MAKERS);
      if (await anyRow(sql, `${LEFT_OVER} and c.relname = $1`, [name])) await sql.query(`drop table ${name}`);
    });
  }
}

async function forAMoment(database: Database, work: (sql: Sql) => Promise<unknown>): Promise<void> {
  try {
    await database.transaction(async (sql) => {
      await sql.query(`set local statement_timeout = ${FINALIZED_WITHIN_MS}`);
      await sql.query('set local lock_timeout = 200');
      await work(sql);
    });
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
}
