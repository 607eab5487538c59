// While somebody holds a snapshot, entries of ended sends stay in the indexes. No statement that runs all the time reads more because of
// them: the spec counts blocks, not time.
import { v4 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Sql } from '../../../../src/platform/database/database.js';
import { WHOLE } from '../../../../src/scheduler/decide/lifecycle/replica-slice.js';
import { SteppedClock } from '../../../../src/platform/clock.js';
import { FullReads } from '../../../../src/platform/loops/full-reads.js';
import { eventually } from '../../../support/eventually.js';
import { CloseFinished } from '../../../../src/scheduler/plan/close-finished.js';
import { touchedShards } from '../../../../src/scheduler/store/send/close.store.js';
import { readOutcomes } from '../../../../src/scheduler/outcomes/publish/outcome.store.js';
import { nextPollAt } from '../../../../src/scheduler/store/send/poll.store.js';
import { readPlanned, readPolls } from '../../../../src/scheduler/store/send/read-work.store.js';
import { dueFrom, lostSends } from '../../../../src/scheduler/store/send/recover.store.js';
import { workDue } from '../../../../src/scheduler/work-due.store.js';
import { blocksOf } from '../../../support/postgres/blocks-of.js';
import { OwnConnection } from '../../../support/postgres/own-connection.js';
import { Gateway } from '../../../support/scheduler/gateway.js';
import { pollRoundOf, roundOf } from '../../../support/scheduler/read-ask.js';
import { rigOf } from '../../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../../support/scheduler/world.js';

const ENDED = 20_000;
/**
 * How many more blocks a statement may read than without dead entries: 16 were seen alone, 52 while other databases of the cluster were
 * busy. A statement that walks over all dead entries reads more than a hundred.
 */
const A_FEW = 80;

let world: World;
let holder: OwnConnection;
beforeAll(async () => {
  world = await World.open();
  await world.project();
});
afterAll(async () => {
  await holder.release();
  await world.close();
});

const LOOPS = ['plan', 'lookup', 'dispatch', 'dispatch-repeat', 'dispatch-recover', 'follow', 'cancel'];
const ahead = { now: START, upTo: START + 2_000 };
const FLOOR = START - 6_000;
const lost = { serviceId: SERVICE, upTo: START + 2_000, replica: v4(), dead: [], most: 20_000 };

/** The statements of every round, between full reads. */
const ALL_THE_TIME: Readonly<Record<string, (sql: Sql) => Promise<unknown>>> = {
  'look ahead': (sql) =>
    readPlanned(sql, {
      ...roundOf(),
      pages: new Map([[SERVICE, { room: 256, late: { at: FLOOR }, fresh: { at: START - 1_000 } }]]),
    }),
  'look ahead, of a project without a queue': (sql) => readPlanned(sql, roundOf({ room: 256, from: FLOOR })),
  polls: (sql) => readPolls(sql, { ...pollRoundOf({ from: START - 1_000 }), work: 'p' }),
  cancels: (sql) => readPolls(sql, { ...pollRoundOf({ from: START - 1_000 }), work: 'c' }),
  'lost sends that were due lately': (sql) => lostSends(sql, { ...lost, after: dueFrom(FLOOR) }),
  'next poll': (sql) => nextPollAt(sql, { now: START, slice: WHOLE, work: 'p' }),
  'work due': (sql) => workDue(sql, { ...ahead, loops: LOOPS, only: { since: START - 5_000 } }),
  'outcomes to publish': (sql) =>
    readOutcomes(sql, { shards: [0], rowsOfShard: 10, rows: 10, bytes: 1_000_000, ranges: 1_000 }),
  // From the closer's floor on.
  touches: (sql) => touchedShards(sql, String(ENDED)),
};
/** The statements that take a share of the time: they do walk over all dead entries. */
const FULL_READS: typeof ALL_THE_TIME = {
  'look ahead': (sql) => readPlanned(sql, roundOf({ room: 256 })),
  polls: (sql) => readPolls(sql, { ...pollRoundOf(), work: 'p' }),
  'lost sends': (sql) => lostSends(sql, lost),
  'work due': (sql) => workDue(sql, { ...ahead, loops: LOOPS }),
  touches: (sql) => touchedShards(sql, '0'),
};

async function of(questions: typeof ALL_THE_TIME): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const [name, ask] of Object.entries(questions)) counts[name] = await blocksOf(world.dataSource, ask);
  return counts;
}

it('a round reads no entries of sends that ended under a held snapshot, and a full read all of them', async () => {
  const [roundsBefore, fullBefore] = [await of(ALL_THE_TIME), await of(FULL_READS)];
  const first = await world.send({ dueAt: START - 60_000 });
  await world.copies(first, ENDED - 1);
  holder = await OwnConnection.beside(world.dataSource);
  await holder.query('begin isolation level repeatable read');
  await holder.query('select count(*) from send');
  await live();
  const [rounds, full] = [await of(ALL_THE_TIME), await of(FULL_READS)];
  for (const [name, blocks] of Object.entries(rounds))
    expect(blocks - (roundsBefore[name] ?? NaN), name).toBeLessThan(A_FEW);
  // So dead entries are there.
  const more = Object.entries(full).map(
    ([name, blocks]) => [name, blocks - (fullBefore[name] ?? NaN)] as const,
  );
  for (const [name, blocks] of more) expect(blocks, name).toBeGreaterThan(ENDED / 200);
  // Each entry is looked up in the table.
  expect(Object.fromEntries(more)['look ahead']).toBeGreaterThan(ENDED / 2);
});

it('a round reads no more after 600 tables were made and dropped, whose rows of the catalogue stay', async () => {
  const before = await of(ALL_THE_TIME);
  for (let table = 0; table < 600; table += 1)
    await world.dataSource.query(
      `create table storm_${table} (id uuid primary key); drop table storm_${table}`,
    );
  const after = await of(ALL_THE_TIME);
  for (const [name, blocks] of Object.entries(after))
    expect(blocks - (before[name] ?? NaN), name).toBeLessThan(A_FEW);
});

/** Fires, accepts, polls twice and ends all sends, by the functions that do so. */
async function live(): Promise<void> {
  const own = await OwnConnection.beside(world.dataSource);
  try {
    await own.query("set session_replication_role = 'replica'");
    for (const change of [
      "state = 'sending', attempts = 1, changes = 2",
      `state = 'accepted', changes = 3, next_at = next_at + interval '1 second', request_id = 'r'`,
      `polls = 1, next_at = next_at + interval '1 second'`,
      `state = 'sent', changes = 4, next_at = null, ended_at = state_at`,
    ])
      await own.query(`update send set ${change}`);
    await own.query(
      'insert into campaign_touched (campaign) select uuidv7() from generate_series(1, $1::int)',
      [ENDED],
    );
    await own.query('delete from campaign_touched');
    // A page published each; with the trigger that moves the cursor.
    await own.query("set session_replication_role = 'origin'");
    await own.query(`do $$ begin
      for page in 1 .. 3000 loop update outcome_cursor set done = done where shard = 0; end loop;
    end $$`);
  } finally {
    await own.release();
  }
}

/** Full reads as after one that took very long: none is made before `elapsed`. */
class SlowClock extends SteppedClock {
  realMs = 0;
  /** Passes between two questions. */
  slowMs = 0;

  override elapsed(): number {
    this.realMs += this.slowMs;
    return this.realMs;
  }
}

it('between full reads it finds at once what became late lately, and soon what became late later', async () => {
  const gateway = await Gateway.open();
  gateway.skewMs = START - Date.now();
  await world.project({ service_id: 'read-on', base_url: gateway.url, rate_per_second: 1_000 });
  const clock = new SlowClock(START);
  const fullReads = new FullReads(clock, { everyMs: 60_000, oneIn: 20 });
  const rig = rigOf(world, clock, { fullReads });
  const planned = (dueAt: number): Promise<string> => world.send({ serviceId: 'read-on', dueAt });
  const hasLeft = (id: string) =>
    eventually(async () => expect((await world.read(id)).state).toBe('accepted'));
  try {
    const first = await planned(START - 60_000);
    await rig.dispatch.runOnce();
    await hasLeft(first);
    const [soon, late, old] = [
      await planned(START + 5),
      await planned(START - 5_500),
      await planned(START - 60_000),
    ];
    await rig.dispatch.runOnce();
    await hasLeft(late);
    clock.advance(5);
    await hasLeft(soon);
    expect((await world.read(old)).state).toBe('planned');
    clock.realMs = 60_000;
    await rig.dispatch.runOnce();
    await hasLeft(old);
  } finally {
    await rig.stop();
    await gateway.close();
  }
});

it('reads a backlog from its beginning on, however long it takes', async () => {
  const gateway = await Gateway.open();
  gateway.skewMs = START - Date.now();
  await world.project({
    service_id: 'backlog',
    base_url: gateway.url,
    rate_per_second: 100_000,
    in_flight: 10,
  });
  const rig = rigOf(world, new SlowClock(START), {
    fullReads: new FullReads(new SlowClock(START), { everyMs: 60_000, oneIn: 20 }),
  });
  try {
    const first = await world.send({ serviceId: 'backlog', dueAt: START - 60_000 });
    await world.copies(first, 1_199);
    const left = async (): Promise<number> => {
      const text =
        "select count(*)::int as n from send where service_id = 'backlog' and state in ('planned', 'sending')";
      return (await world.dataSource.query<{ n: number }>(text))[0]?.n ?? NaN;
    };
    await eventually(async () => {
      await rig.dispatch.runOnce();
      expect(await left()).toBe(0);
    });
    expect(gateway.posts).toHaveLength(1_200);
  } finally {
    await rig.stop();
    await gateway.close();
  }
});

it('closes campaigns that are touched between reads from the start, and later those whose touch was committed late', async () => {
  const clock = new SlowClock(START);
  const closer = new CloseFinished(world.dataSource, clock);
  const touch = async (id?: number): Promise<void> => {
    const campaign = await world.campaign({ state: 'running' });
    const values = id === undefined ? '(default, $1)' : `(${id}, $1)`;
    await world.dataSource.query(
      `insert into campaign_touched (id, campaign) overriding system value values ${values}`,
      [campaign],
    );
  };
  const low = 5;
  await world.dataSource.query('delete from campaign_touched');
  await touch();
  expect(await closer.runOnce()).toBe(1);
  // It was so slow that the next read from the start is far off.
  clock.slowMs = 10_000;
  clock.realMs = 20_000;
  await touch();
  expect(await closer.runOnce()).toBe(1);
  clock.slowMs = 0;
  clock.realMs += 6_000;
  await touch();
  expect(await closer.runOnce()).toBe(1);
  await touch(low);
  expect(await closer.runOnce()).toBe(0);
  clock.realMs += 400_000;
  expect(await closer.runOnce()).toBe(1);
});
