// Days that are made ahead and taken off: what making none costs, and that who reads for long holds up nobody else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Sql } from '../../../src/platform/database/database.js';
import {
  daysAhead,
  detachDay,
  ensurePartitions,
  finishDrops,
  goingDays,
  goingFinding,
} from '../../../src/platform/database/day-partitions.js';
import { createDataSource } from '../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { dropDays } from '../../support/postgres/partitions.js';

const DAY_MS = 86_400_000;
const START = Date.parse('2030-01-01T12:00:00Z');

let database: TestDatabase;
let sql: PooledDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
  sql = createDataSource({
    url: database.url,
    schema: 'scheduler',
    migrations: [],
    poolSize: 4,
    applicationName: 'days',
    limits: { statementMs: 1_500 },
  });
  await sql.initialize();
  await dropDays(sql);
  await ensurePartitions(sql, new Date(START));
});
afterAll(async () => {
  await sql.destroy();
  await database.drop();
});

/** Notes every statement. */
function watching(inner: Sql, asked: string[]): Sql {
  return {
    query: (text, parameters) => {
      asked.push(text);
      return inner.query(text, parameters);
    },
  };
}

/**
 * Once nothing is half detached. One round may pass over it: while somebody writes in any database of the server, whoever reads in
 * this one counts as having begun before.
 */
async function untilDropsAreFinished(): Promise<void> {
  await eventually(async () => {
    await finishDrops(sql);
    expect(await goingDays(sql)).toEqual([]);
  });
}

it('reads no bounds of partitions where none is missing', async () => {
  const asked: string[] = [];
  const watched = watching(sql, asked);
  await ensurePartitions(watched, new Date(START));
  expect(await daysAhead(watched, new Date(START))).toBe(3);
  expect([asked.length, asked.filter((text) => text.includes('day_partition'))]).toEqual([2, []]);
  // A day on, one is missing of each.
  expect(await daysAhead(watched, new Date(START + DAY_MS))).toBe(2);
  expect(await daysAhead(watched, new Date(START + 9 * DAY_MS))).toBe(-1);
});

it('makes no day before the oldest: what is from before lies in …_old, however far it has to be widened', async () => {
  await ensurePartitions(sql, new Date(START + DAY_MS));
  await sql.query('alter table send detach partition send_2029_12_31');
  await sql.query('drop table send_2029_12_31');
  const back = new Date(START - DAY_MS);
  await ensurePartitions(sql, back);
  const [place] = await sql.query(
    `select name, high from day_partition where parent = 'send' and low <= $1 and $1 < high`,
    [back],
  );
  expect(place).toEqual({ name: 'send_old', high: new Date('2030-01-01T00:00:00Z') });
  expect(await daysAhead(sql, new Date(START + DAY_MS))).toBe(3);
});

it('a day that somebody reads still waits for him alone, says so, and holds up neither other days nor new ones', async () => {
  const reader = await OwnConnection.beside(sql);
  try {
    await reader.query("set application_name = 'long report'; begin isolation level repeatable read");
    await reader.query('select from send');
    await reader.query('select from attempt');
    for (const parent of ['send', 'attempt'])
      expect(await detachDay(sql, parent, `${parent}_2030_01_01`)).toBe(false);
    expect((await goingDays(sql)).map(({ name }) => name)).toEqual(['attempt_2030_01_01', 'send_2030_01_01']);
    const tried: string[] = [];
    await finishDrops({
      query: sql.query.bind(sql),
      transaction: (work, begin) => sql.transaction((inside) => work(watching(inside, tried)), begin),
    });
    expect(tried).toEqual([]);
    const going = await goingDays(sql);
    expect(going).toHaveLength(2);
    expect(goingFinding(going)).toMatch(
      /^attempt_2030_01_01, send_2030_01_01 cannot be dropped yet: end who still reads: \d+ \(long report\) since 20/,
    );
    // He reads on, and days are made, while it waits.
    await reader.query('select from send');
    await ensurePartitions(sql, new Date(START + 3 * DAY_MS));
  } finally {
    await reader.release();
  }
  // Who begins later does not read of it: he is waited for, once, and reads what he likes meanwhile.
  const later = await OwnConnection.beside(sql);
  await later.query('begin isolation level repeatable read');
  await later.query('select from send');
  const finished = finishDrops(sql);
  await later.query('select from attempt');
  await later.release();
  await finished;
  await untilDropsAreFinished();
  expect(goingFinding([])).toBeUndefined();
  const left = await sql.query(
    "select relname from pg_class where relname in ('send_2030_01_01', 'attempt_2030_01_01')",
  );
  expect(left).toEqual([]);
});

describe('a clock that is set back while days are dropped', () => {
  const BACK = new Date(START - 30 * DAY_MS);
  const placesOf = (): Promise<unknown[]> =>
    sql.query(
      'select parent, name from day_partition where low <= $1 and $1 < high and not is_going order by 1',
      [BACK],
    );

  it('waits until what its day lay in is detached, and makes it anew', async () => {
    await ensurePartitions(sql, BACK);
    const places = await placesOf();
    const reader = await OwnConnection.beside(sql);
    await reader.query('begin isolation level repeatable read');
    await reader.query('select from send');
    expect(await detachDay(sql, 'send', 'send_old')).toBe(false);
    await reader.release();
    const refused = sql.query('select add_day_partition($1, $2)', ['send', BACK]);
    await expect(refused).rejects.toMatchObject({ code: '55P03', message: 'send_old is being detached' });
    const made = ensurePartitions(sql, BACK);
    await untilDropsAreFinished();
    await made;
    expect(await placesOf()).toEqual(places);
  });

  it('never attaches a table that is being dropped, and never loses one that it attached', async () => {
    const other = await OwnConnection.beside(sql);
    await sql.query('alter table send detach partition send_old');
    await other.query('begin');
    await other.query("select add_day_partition('send', $1)", [BACK]);
    const dropped = finishDrops(sql);
    await untilLockAwaited((text) => sql.query(text), { like: 'select pg_advisory_xact_lock%' });
    await other.query('commit');
    await dropped;
    expect(await placesOf()).toContainEqual({ parent: 'send', name: 'send_old' });
    await other.release();
  });

  it('makes anew a day of its own that is being detached, which is not there meanwhile', async () => {
    const at = new Date(START + 40 * DAY_MS);
    await ensurePartitions(sql, at);
    const reader = await OwnConnection.beside(sql);
    await reader.query('begin isolation level repeatable read');
    await reader.query('select from send');
    expect(await detachDay(sql, 'send', 'send_2030_02_10')).toBe(false);
    await reader.release();
    expect(await daysAhead(sql, at)).toBe(-1);
    const made = ensurePartitions(sql, at);
    await untilDropsAreFinished();
    await made;
    expect(await daysAhead(sql, at)).toBe(3);
  });

  it('takes rows of its day, though what held the days before was detached and is not dropped yet', async () => {
    await sql.query('create table made (at timestamptz primary key) partition by range (at)');
    const at = new Date(START + 60 * DAY_MS);
    await ensurePartitions(sql, new Date(at.getTime() + DAY_MS));
    // Such a table has a check of the days that it held.
    expect(await detachDay(sql, 'made', 'made_old')).toBe(true);
    await sql.query('drop table made_2030_03_02');
    await ensurePartitions(sql, at);
    await sql.query('insert into made values ($1)', [at]);
    expect(await sql.query('select tableoid::regclass::text as place from made')).toEqual([
      { place: 'made_old' },
    ]);
    await sql.query('drop table made');
  });
});
