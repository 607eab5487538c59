// A day of sends and raw bodies that is being dropped. It is counted in pages while all other work goes on: what ended before the
// cutoff does not change any more, because from the first page on no send of the day is retried. What has not ended outlives the
// day: it is carried into the tables …_old.
import { firstRow, type Database, type Sql } from '../../../platform/database/database.js';
import { isBusy } from '../../../platform/database/day-partitions.js';
import { isStatementEnded } from '../../../platform/database/database-away.js';
import { COUNTING, stepAfter, type DropStep } from '../../decide/lifecycle/drop-steps.js';
import { insertEventSums, judgedEvents, type TidiedPage } from './retention.store.js';
import { ENDED_STATES } from '../../decide/lifecycle/send-state.js';
import { insertSums, measuredSends } from '../../store/send/measured-send.js';
import { DROPPING } from '../../store/send/retry.store.js';
import { markReplacedCounts } from '../../store/read/standing.store.js';
import { sqlList } from '../../../platform/database/sql-list.js';

/** The tables whose rows go with the day that the UUIDv7 of their key carries. */
const TABLES = ['send', 'send_recipients', 'send_note', 'attempt', 'event'];

export interface DayDrop {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly cutoff: Date;
  readonly step: DropStep;
  /** The last id that its step has seen. */
  readonly after: string;
  /** Nothing is done before then. */
  readonly nextAt: Date | null;
  /** If it waits: which rows too many are left of. */
  readonly detail: string | null;
}

const COLUMNS = `to_char(day, 'YYYY-MM-DD') as day, cutoff, step, after, next_at as "nextAt", detail`;

export async function currentDrop(sql: Sql): Promise<DayDrop | undefined> {
  return firstRow<DayDrop>(sql, `select ${COLUMNS} from day_drop`);
}

/** The oldest day of these tables, if it ended by the cutoff. */
export async function nextDay(sql: Sql, cutoff: Date): Promise<string | undefined> {
  const row = await firstRow<{ day: string }>(
    sql,
    `select to_char(low, 'YYYY-MM-DD') as day from day_partition
      where parent = any($1) and low > '-infinity' and not is_going and high <= $2 order by low limit 1`,
    [TABLES, cutoff],
  );
  return row?.day;
}

/** From its commit on no send of the day is retried: it waits for retries that are under way, and later ones see it. */
export async function beginDrop(database: Database, day: string, cutoff: Date): Promise<DayDrop> {
  return database.transaction(async (sql) => {
    await sql.query('select pg_advisory_xact_lock(hashtext($1))', [DROPPING]);
    await forgetCounts(sql);
    // Sends that were counted while the day was half detached, and are back because a dump had it on its table. Index send_sum_day.
    if (await isThere(sql, partition('send', { day })))
      await sql.query('delete from send_sum where day = $1', [day]);
    const [row] = await sql.query<DayDrop>(
      `insert into day_drop (day, cutoff, after) values ($1::date, $2, uuid_floor($1::date::timestamp at time zone 'UTC'))
       returning ${COLUMNS}`,
      [day, cutoff],
    );
    if (row === undefined) throw new Error(`the drop of ${day} could not begin`);
    return row;
  });
}

/** Too much of the day has not ended (`detail` says what): it stays whole until `nextAt`, and its sends may be retried meanwhile. */
export async function postponeDrop(
  database: Database,
  { day, cutoff }: DayDrop,
  nextAt: Date,
  detail: string,
): Promise<void> {
  await database.transaction(async (sql) => {
    await forgetCounts(sql);
    await sql.query(
      `insert into day_drop (day, cutoff, step, after, next_at, detail) values ($1, $2, 'waits', uuid_floor($3), $3, $4)`,
      [day, cutoff, nextAt, detail],
    );
  });
}

/** It goes on with its step, but not before `nextAt`. */
export async function restDrop(sql: Sql, { day }: DayDrop, nextAt: Date, detail: string): Promise<void> {
  await sql.query('update day_drop set next_at = $2, detail = $3 where day = $1', [day, nextAt, detail]);
}

/** Why a day stays, and what to do; undefined: it does not. */
export const stays = ({ day, nextAt, detail }: DayDrop): string | undefined =>
  nextAt === null
    ? undefined
    : `${day} stays, and the days after it: ${detail ?? 'too much of it'} has not ended; resolve the sends that are uncertain, end the campaigns that nobody needs`;

async function forgetCounts(sql: Sql): Promise<void> {
  await sql.query(
    'with gone as (delete from day_drop returning day) delete from send_sum using gone where send_sum.day = gone.day',
  );
  await sql.query(`delete from event_sum where day >= (select kept_from('event') at time zone 'UTC')`);
  await sql.query('delete from day_carried');
}

/** Goes on to the next step, from its first id; after the last step the day is done. */
export async function endStep(sql: Sql, { day, step }: DayDrop): Promise<void> {
  const next = stepAfter(step);
  if (next === undefined) await sql.query('delete from day_drop where day = $1 and step = $2', [day, step]);
  else
    await sql.query(
      `update day_drop set step = $3, next_at = null, detail = null,
              after = case when $4::boolean then uuid_floor(day::timestamp at time zone 'UTC') else '00000000-0000-0000-0000-000000000000' end
        where day = $1 and step = $2`,
      [day, step, next, COUNTING.includes(next)],
    );
}

const partition = (parent: string, { day }: Pick<DayDrop, 'day'>): string =>
  `${parent}_${day.replaceAll('-', '_')}`;

/**
 * The row of `drop`, locked, if it is as it was read: another process that lost its advisory lock with its connection may still
 * be at work, and a page that both count would be in the sums twice.
 */
const AS_READ = `drop as materialized (
  select * from day_drop where day = $1 and step = $3 and after = $4 for update)`;

const isThere = async (sql: Sql, name: string): Promise<boolean> =>
  (await sql.query('select from day_partition where name = $1 and not is_going', [name])).length > 0;

/** Whether a send `s` goes with its day: it ended by that instant. */
export const sendGoes = (s: string, endedBy: string): string =>
  `${s}.state in ${sqlList(ENDED_STATES)} and ${s}.state_at <= ${endedBy}`;

/**
 * Counts a page of the day's rows of a table in the order of their primary key; `parts` of a WITH behind `drop`, the first of
 * them `page`. Returns how many; undefined: another process has counted it.
 */
async function countPage(
  database: Database,
  parent: 'send' | 'event',
  { drop, most }: { readonly drop: DayDrop; readonly most: number },
  parts: (name: string) => string,
): Promise<number | undefined> {
  const name = partition(parent, drop);
  if (!(await isThere(database, name))) return 0;
  const page = await firstRow<{ seen: number }>(
    database,
    `with ${AS_READ},
     ${parts(name)},
     read as (update day_drop d set after = l.id from (select id from page order by id desc limit 1) l where d.day = $1)
     select count(*)::int as seen from page having exists (select from drop)`,
    [drop.day, most, drop.step, drop.after],
  );
  return page?.seen;
}

/** A page of the day's sends. A send that took the place of another is counted by itself: its row has its chunk's first due. */
export const countSends = (database: Database, drop: DayDrop, most: number): Promise<number | undefined> =>
  countPage(
    database,
    'send',
    { drop, most },
    (name) => `page as materialized (
       select s.id, s.next_send, s.mode, s.state, ${sendGoes('s', 'd.cutoff')} as goes
         from drop d cross join lateral (select * from ${name} s where s.id > d.after order by s.id limit $2) s),
     stays as (insert into day_carried select id from page where not goes),
     sums as (${insertSums(`select m.* from page p join (${measuredSends(name)}) m on m.id = p.id where p.goes`)}),
     counts as (${markReplacedCounts('select * from page where goes')})`,
  );

/** A page of the day's raw bodies. One whose campaign lives, or ended after the cutoff, is carried. */
export const countEvents = (database: Database, drop: DayDrop, most: number): Promise<number | undefined> =>
  countPage(
    database,
    'event',
    { drop, most },
    (name) => `page as materialized (
       ${judgedEvents(`(select e.*, d.cutoff from drop d
                          cross join lateral (select id, service_id, verdict from ${name} e where e.id > d.after order by e.id limit $2) e)`)}),
     stays as (insert into day_carried select id from page where lives),
     sums as (${insertEventSums('select * from page where not lives')})`,
  );

/** How many of its sends and raw bodies outlive the day. */
export async function carriedOf(sql: Sql): Promise<number> {
  const [row] = await sql.query<{ carried: number }>('select count(*)::int as carried from day_carried');
  return row?.carried ?? 0;
}

/** The day's partitions that are still there, those of sends first: once these are off, a send of the day is answered 410. */
export async function outlivedTables(sql: Sql, drop: DayDrop): Promise<OutlivedTable[]> {
  const tables: OutlivedTable[] = [];
  for (const parent of TABLES) {
    const name = partition(parent, drop);
    if (!(await isThere(sql, name))) continue;
    const [row] = await sql.query<{ rows: number; bytes: number }>(
      'select carried::float8 as rows, bytes::float8 as bytes from carried_of($1, $2)',
      [parent, name],
    );
    tables.push({ parent, name, rows: row?.rows ?? 0, bytes: row?.bytes ?? 0 });
  }
  return tables;
}

export interface OutlivedTable {
  readonly parent: string;
  readonly name: string;
  /** Rows that are to be carried, and their bytes. */
  readonly rows: number;
  readonly bytes: number;
}

/** What is written of a send under its id for as long as it lives. */
const OF_SENDS = ['send_recipients', 'send_note', 'attempt'];

/**
 * Whether the day's table must be carried though none of its rows outlives the day: sends do that lie beyond the end of its …_old,
 * and nothing could be written of them. Asked once the day's sends are carried. Reads the catalogue.
 */
export async function mustReach(sql: Sql, { parent }: OutlivedTable): Promise<boolean> {
  if (!OF_SENDS.includes(parent)) return false;
  const short = await sql.query(
    `select from day_partition o join day_partition s on s.name = 'send_old'
      where o.name = $1 and o.high < s.high`,
    [`${parent}_old`],
  );
  return short.length > 0;
}

/** How long a table may be locked at most, real milliseconds. */
const CARRIED_WITHIN_MS = 1_000;

/**
 * Carries what outlives the day and takes the day off its table. `busy`: somebody holds the table, try again soon; `slow`: it was
 * undone, because it would have kept everybody from the table for too long.
 */
export async function carryDay(
  database: Database,
  { parent, name }: OutlivedTable,
  { day }: DayDrop,
): Promise<'carried' | 'busy' | 'slow'> {
  const high = `($2::date + 1)::timestamp at time zone 'UTC'`;
  try {
    await database.query(`select bound_old($1, ${high})`, [parent, day]);
    await database.query(`alter table ${parent}_old validate constraint ${parent}_old_ends`);
  } catch (error) {
    if (isBusy(error)) return 'busy';
    throw error;
  }
  try {
    await database.transaction(async (sql) => {
      await sql.query(`set local statement_timeout = ${CARRIED_WITHIN_MS}`);
      await sql.query(`select carry_day($1, $3, ${high})`, [parent, day, name]);
    });
    return 'carried';
  } catch (error) {
    if (isStatementEnded(error)) return 'slow';
    if (isBusy(error)) return 'busy';
    throw error;
  }
}

/** Once the day is off all its tables, nothing is left to be carried. */
export async function endTables(database: Database, drop: DayDrop): Promise<void> {
  await database.transaction(async (sql) => {
    await sql.query('delete from day_carried');
    await endStep(sql, drop);
  });
}

/**
 * A page of a step that follows the day, in one transaction with how far the step is. No send is retried meanwhile, and earlier
 * retries are seen. Undefined: another process has done it.
 */
export async function tidyPage(
  database: Database,
  drop: DayDrop,
  work: (sql: Sql) => Promise<TidiedPage>,
): Promise<number | undefined> {
  return database.transaction(async (sql) => {
    await sql.query('select pg_advisory_xact_lock(hashtext($1))', [DROPPING]);
    const asRead = 'select from day_drop where day = $1 and step = $2 and after = $3 for update';
    if ((await sql.query(asRead, [drop.day, drop.step, drop.after])).length === 0) return undefined;
    const { seen, last } = await work(sql);
    await sql.query('update day_drop set after = coalesce($2, after) where day = $1', [drop.day, last]);
    return seen;
  });
}
