// The drop of a day: of the sends that ended on it, which only the rollups count then, and of the raw bodies that came on it, which
// are counted first, in pages, while all other work goes on. From the first step on no send of the day is retried.
import { firstRow, type Database, type Sql } from '../../../platform/database/database.js';
import { stepAfter, type DropStep } from '../../decide/lifecycle/drop-steps.js';
import { insertEventSums, judgedEvents, type TidiedPage } from './retention.store.js';
import { DROPPING } from '../../store/send/retry.store.js';

/** The tables whose partition of the day is dropped. */
const TABLES = ['send', 'send_recipients', 'send_note', 'attempt', 'event'];

export interface DayDrop {
  /** YYYY-MM-DD. */
  readonly day: string;
  readonly step: DropStep;
  /** The last id that its step has seen. */
  readonly after: string;
}

/** Before every id. */
const FIRST = '00000000-0000-0000-0000-000000000000';
const COLUMNS = `to_char(day, 'YYYY-MM-DD') as day, step, after`;

export async function currentDrop(sql: Sql): Promise<DayDrop | undefined> {
  return firstRow<DayDrop>(sql, `select ${COLUMNS} from day_drop where step <> 'done'`);
}

/** The oldest day of these tables, if it ended by `endedBy`. */
export async function nextDay(sql: Sql, endedBy: Date): Promise<string | undefined> {
  const row = await firstRow<{ day: string }>(
    sql,
    `select to_char(low, 'YYYY-MM-DD') as day from day_partition
      where parent = any($1) and isfinite(low) and not is_going and high <= $2 order by low limit 1`,
    [TABLES, endedBy],
  );
  return row?.day;
}

/** Begins the drop. It waits for retries that run, and later retries see it: from its commit on no send of the day is retried. */
export async function beginDrop(database: Database, day: string): Promise<DayDrop> {
  return database.transaction(async (sql) => {
    await sql.query('select pg_advisory_xact_lock(hashtext($1))', [DROPPING]);
    // Bodies that were counted before, and are back because a dump that was restored had the day still attached.
    if (await isThere(sql, partition('event', { day })))
      await sql.query('delete from event_sum where day = $1', [day]);
    await sql.query("delete from day_drop where step = 'done'");
    const [row] = await sql.query<DayDrop>(
      `insert into day_drop (day, after) values ($1::date, '${FIRST}') returning ${COLUMNS}`,
      [day],
    );
    if (row === undefined) throw new Error(`the drop of ${day} could not begin`);
    return row;
  });
}

/** Goes on to the next step, from its first id. */
export async function endStep(sql: Sql, { day, step }: DayDrop): Promise<void> {
  await sql.query(`update day_drop set step = $3, after = '${FIRST}' where day = $1 and step = $2`, [
    day,
    step,
    stepAfter(step),
  ]);
}

const partition = (parent: string, { day }: Pick<DayDrop, 'day'>): string =>
  `${parent}_${day.replaceAll('-', '_')}`;

/**
 * The row of `drop`, locked, if it is as it was read. A process that lost its advisory lock with its connection may still work, and a
 * page that both processes count would be in the sums twice.
 */
const AS_READ = `drop as materialized (
  select * from day_drop where day = $1 and step = $3 and after = $4 for update)`;

const isThere = async (sql: Sql, name: string): Promise<boolean> =>
  (await sql.query('select from day_partition where name = $1 and not is_going', [name])).length > 0;

/** Counts a page of the day's raw bodies. Returns how many; undefined: another process has counted it. Primary key. */
export async function countEvents(
  database: Database,
  drop: DayDrop,
  most: number,
): Promise<number | undefined> {
  const name = partition('event', drop);
  if (!(await isThere(database, name))) return 0;
  const page = await firstRow<{ seen: number }>(
    database,
    `with ${AS_READ},
     page as materialized (
       ${judgedEvents(`(select e.* from drop d
                          cross join lateral (select id, service_id, verdict from ${name} e where e.id > d.after order by e.id limit $2) e)`)}),
     sums as (${insertEventSums('select * from page')}),
     read as (update day_drop d set after = l.id from (select id from page order by id desc limit 1) l where d.day = $1)
     select count(*)::int as seen from page having exists (select from drop)`,
    [drop.day, most, drop.step, drop.after],
  );
  return page?.seen;
}

/** The day's partitions that are still attached, that of sends first: once it is detached, the API answers 410 for sends of the day. */
export async function tablesOf(
  sql: Sql,
  drop: DayDrop,
): Promise<{ readonly parent: string; readonly name: string }[]> {
  const tables = TABLES.map((parent) => ({ parent, name: partition(parent, drop) }));
  const there = await sql.query<{ name: string }>(
    'select name from day_partition where name = any($1) and not is_going',
    [tables.map(({ name }) => name)],
  );
  return tables.filter(({ name }) => there.some((one) => one.name === name));
}

/**
 * Does a page of any other step and notes its last id, in one transaction. No send is retried meanwhile, and it sees earlier retries.
 * undefined: another process has done the page.
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
