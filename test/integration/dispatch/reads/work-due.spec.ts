// The question that an idle scheduler asks each second. It wakes each loop that would find something to do, and no other; and it reads
// only the beginnings of indexes, however large the tables are.
import { pino } from 'pino';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { SteppedClock } from '../../../../src/platform/clock.js';
import { Loops } from '../../../../src/platform/loops/loops.js';
import { workDue } from '../../../../src/scheduler/work-due.store.js';
import { WorkProbe } from '../../../../src/scheduler/work-probe.js';
import type { Sql } from '../../../../src/platform/database/database.js';
import { blocksOf } from '../../../support/postgres/blocks-of.js';
import { eventually } from '../../../support/eventually.js';
import { rollUpAll } from '../../../support/scheduler/rollers.js';
import { SERVICE, START, World, type SendSeed } from '../../../support/scheduler/world.js';

const AHEAD_MS = 5_000;
const LOOPS = [
  'plan',
  'lookup',
  'dispatch',
  'dispatch-recover',
  'dispatch-repeat',
  'follow',
  'cancel',
  'close',
  'publish',
  'outbox',
  'rollup',
];

let world: World;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.dataSource.query('truncate audience_lookup');
});

const due = async (loops: readonly string[] = LOOPS): Promise<readonly string[]> =>
  (await workDue(world.dataSource, { now: START, upTo: START + AHEAD_MS, loops })).loops;

/** A project with a send, whose campaign is planned. */
async function seed(project: object, one: SendSeed): Promise<void> {
  await world.project({ ...project });
  await world.send(one);
  await world.dataSource.query('update campaign set plan_at = null');
}

const send =
  (one: SendSeed) =>
  (at: Date, project: object): Promise<void> =>
    seed(project, { ...one, columns: { ...one.columns, next_at: at } });
const planned = (at: Date, project: object): Promise<void> =>
  seed(project, { handOffAt: at.getTime() + AHEAD_MS });
const NOW = new Date(START);
const LATER = new Date(START + 1);
const BLOCKED = { blocked_until: LATER, blocked_code: 'THROTTLE_LIMITED' };
const STOPPED = { blocked_until: LATER, blocked_code: 'STOPPED' };
const BLOCK_OVER = { blocked_until: NOW, blocked_code: 'THROTTLE_LIMITED' };

it.each<[string, (at: Date, project: object) => Promise<unknown>, Date, object, string[]]>([
  ['nothing at all', (_, project) => world.project({ ...project }), NOW, {}, []],
  ['a send within the look-ahead', planned, NOW, {}, ['dispatch']],
  ['a send beyond it', planned, LATER, {}, []],
  ['a send of a project that is blocked', planned, NOW, BLOCKED, []],
  ['a send of a project that is stopped', planned, NOW, STOPPED, []],
  ['a send of a project whose block is over', planned, NOW, BLOCK_OVER, ['dispatch', 'dispatch-recover']],
  ['a result to ask for', send({ state: 'accepted' }), NOW, {}, ['follow']],
  ['a result of a project that is blocked', send({ state: 'accepted' }), NOW, BLOCKED, []],
  ['a result of a project that is stopped', send({ state: 'accepted' }), NOW, STOPPED, ['follow']],
  ['a result to ask for later', send({ state: 'accepted' }), LATER, {}, []],
  ['a reservation to ask about', send({ state: 'reserved', mode: 'reserved' }), NOW, {}, ['follow']],
  ['a standing message to ask about', send({ state: 'scheduled', mode: 'scheduled' }), NOW, {}, ['follow']],
  [
    'a result of a project whose block is over',
    send({ state: 'accepted' }),
    NOW,
    BLOCK_OVER,
    ['dispatch-recover', 'follow'],
  ],
  ['a cancel to make', send({ state: 'canceling', mode: 'reserved' }), NOW, {}, ['cancel']],
  ['a cancel of a project that is blocked', send({ state: 'canceling', mode: 'reserved' }), NOW, BLOCKED, []],
  [
    'a cancel of a project that is stopped',
    send({ state: 'canceling', mode: 'reserved' }),
    NOW,
    STOPPED,
    ['cancel'],
  ],
  [
    'a cancel of a project whose block is over',
    send({ state: 'canceling', mode: 'reserved' }),
    NOW,
    BLOCK_OVER,
    ['dispatch-recover', 'cancel'],
  ],
  ['a cancel to make later', send({ state: 'canceling', mode: 'reserved' }), LATER, {}, []],
  ['a lost answer', send({ state: 'uncertain' }), NOW, {}, ['dispatch-repeat']],
  ['a lost answer whose repeat is under way', send({ state: 'uncertain' }), LATER, {}, []],
  ['a lost answer of a project that is blocked', send({ state: 'uncertain' }), NOW, BLOCKED, []],
  ['a known answer', send({ state: 'uncertain', columns: { request_id: 'r' } }), NOW, {}, []],
  ['a send that ended', send({ state: 'sent' }), NOW, {}, []],
])('of %s', async (_what, put, at, project, expected) => {
  await put(at, project);
  expect((await due()).toSorted()).toEqual(expected.toSorted());
});

it('of campaigns to plan, to look up for, and to close', async () => {
  await world.project();
  const campaign = await world.campaign({ state: 'planning' });
  const { dataSource: sql } = world;
  const set = (planAt: Date | null): Promise<unknown> =>
    sql.query('update campaign set plan_at = $1', [planAt]);
  await set(LATER);
  expect(await due()).toEqual([]);
  await set(NOW);
  for (const [state, expected] of [
    ['accepted', ['plan']],
    ['planning', ['plan']],
    ['planned', ['plan']],
    ['running', ['plan']],
    ['canceling', []],
    ['completed', []],
  ] as const) {
    await sql.query(
      `set session_replication_role = 'replica'; update campaign set state = '${state}'; reset session_replication_role`,
    );
    expect([state, await due()]).toEqual([state, expected]);
  }
  await set(null);
  expect(await due()).toEqual([]);

  await world.insert('audience_lookup', {
    campaign,
    service_id: SERVICE,
    opened_at: NOW,
    give_up_at: LATER,
    next_at: NOW,
  });
  expect(await due()).toEqual(['lookup']);
  await sql.query(`update audience_lookup set lease_until = clock_timestamp() + interval '1 minute'`);
  expect(await due()).toEqual([]);
  await sql.query(`update audience_lookup set lease_until = clock_timestamp() - interval '1 second'`);
  expect(await due()).toEqual(['lookup']);
  await sql.query('update audience_lookup set next_at = $1', [LATER]);
  expect(await due()).toEqual([]);
  await sql.query('update audience_lookup set next_at = $1, done_at = $1', [NOW]);
  expect(await due()).toEqual([]);

  await world.insert('campaign_touched', { campaign });
  expect(await due()).toEqual(['close']);
});

it('of outcomes to publish', async () => {
  await world.project();
  const sent = await world.send({ state: 'accepted', columns: { next_at: LATER } });
  await world.dataSource.query(`update send set state = 'sent', changes = changes + 1 where id = $1`, [sent]);
  expect(await due(['publish', 'outbox'])).toEqual(['publish']);
  await world.dataSource.query(
    `update outcome_cursor c set done = done + int8multirange(int8range(e.position, e.position, '[]'))
       from send_event e where e.shard = c.shard`,
  );
  expect(await due(['publish', 'outbox'])).toEqual([]);
});

it('of outcomes to roll up, and of retries', async () => {
  await world.project();
  const sent = await world.send({ state: 'accepted', columns: { next_at: LATER } });
  await world.dataSource.query(`update send set state = 'sent', changes = changes + 1 where id = $1`, [sent]);
  expect(await due(['rollup'])).toEqual(['rollup']);
  await rollUpAll(world.dataSource);
  expect(await due(['rollup'])).toEqual([]);
  await world.insert('rollup_retry', { send: v7(), send_of: sent, shard: 0 });
  expect(await due(['rollup'])).toEqual(['rollup']);
});

it('of dead letters to publish', async () => {
  await world.insert('outbox', {
    id: v7(),
    topic: 't',
    key: 'k',
    headers: '{}',
    value: Buffer.from('v'),
    created_at: NOW,
  });
  expect(await due()).toEqual(['outbox']);
  await world.dataSource.query('update outbox set published_at = $1', [NOW]);
  expect(await due()).toEqual([]);
});

it('says nothing of loops that are not asked about', async () => {
  await planned(NOW, {});
  await world.send({ state: 'accepted', columns: { next_at: NOW } });
  expect(await due()).toEqual(['plan', 'dispatch', 'follow']);
  expect(await due(['follow', 'of another process'])).toEqual(['follow']);
  expect(await due([])).toEqual([]);
});

it('wakes the loops that have something to do, and lets the others rest', async () => {
  await planned(NOW, {});
  const loops = new Loops(pino({ level: 'silent' }));
  const rounds = { dispatch: 0, follow: 0 };
  for (const name of ['dispatch', 'follow'] as const) {
    loops.add({ name, runOnce: () => Promise.resolve(((rounds[name] += 1), 0)), idleMs: 3_600_000 });
  }
  const probe = new WorkProbe({
    sql: world.dataSource,
    clock: new SteppedClock(START),
    loops,
    aheadMs: AHEAD_MS,
  });
  loops.add({ name: 'probe', runOnce: () => probe.runOnce(), idleMs: 20 });
  loops.start();
  await eventually(() => expect(rounds.dispatch).toBeGreaterThan(3));
  await loops.stop();
  expect(rounds.follow).toBe(1);
});

it('wakes a loop for what comes due before it asks again, and not for what comes later', async () => {
  await seed({}, { state: 'accepted', columns: { next_at: new Date(START + 1_000) } });
  const woken: string[] = [];
  // The closer itself knows how far to read: between full questions it is always woken.
  const names = LOOPS.filter((name) => name !== 'close');
  const loops = { names, wakeResting: (name: string) => void woken.push(name) } as unknown as Loops;
  const clock = new SteppedClock(START - 1);
  const probe = new WorkProbe({ sql: world.dataSource, clock, loops, aheadMs: AHEAD_MS, everyMs: 1_000 });
  await probe.runOnce();
  expect(woken).toEqual([]);
  clock.advance(1);
  await probe.runOnce();
  expect(woken).toEqual(['follow']);
});

it('asks between large questions only about projects that are near, and about work that came due lately', async () => {
  class SlowClock extends SteppedClock {
    realMs = 0;
    override elapsed(): number {
      return (this.realMs += 1);
    }
  }
  const clock = new SlowClock(START);
  const woken: string[] = [];
  const loops = {
    names: ['dispatch'],
    wakeResting: (name: string) => void woken.push(name),
  } as unknown as Loops;
  const probe = new WorkProbe({ sql: world.dataSource, clock, loops, aheadMs: AHEAD_MS });
  const asked = async (): Promise<readonly string[]> => {
    woken.length = 0;
    await probe.runOnce();
    return [...woken];
  };
  await planned(new Date(START + 10_000), {});
  // The first is from the start and about all projects; it took a millisecond, of three hundred.
  expect([await asked(), await asked()]).toEqual([[], []]);
  await world.project({ service_id: 'far' });
  await world.send({ serviceId: 'far', dueAt: START });
  expect(await asked()).toEqual([]);
  clock.advance(10_000);
  expect(await asked()).toEqual(['dispatch']);
  clock.advance(10_000);
  expect(await asked()).toEqual([]);
  clock.realMs += 1_000;
  expect(await asked()).toEqual(['dispatch']);
});

it('reads the beginning of the index that the loop itself reads, however much is in it', async () => {
  await world.project();
  const toPoll = { state: 'accepted', columns: { next_at: NOW } } as const;
  await world.copies(await world.send(toPoll), 3_000);
  await world.dataSource.query('analyze send');
  const plans = await world.plansOf(async (sql) => {
    await workDue(sql, { now: START, upTo: START + AHEAD_MS, loops: LOOPS });
  });
  const planOf = (words: string): string => plans.find((plan) => plan.includes(words)) ?? 'none';
  expect(planOf('from send_open s')).toMatch(/Scan using send_work on send_open/);
  expect(planOf('from send_open s')).toMatch(/Index Cond: .*service_id.*work.*next_at/);
  expect(planOf(`'plan' = any`)).toMatch(/Index Cond: .*plan_at/);
  expect(planOf(`'lookup' = any`)).toMatch(/Index Cond: .*next_at/);
  expect(planOf(`the_consumer = any`)).toMatch(/Index (Only )?Scan using send_event\w*_position_idx/);
  expect(planOf(`'outbox' = any`)).toMatch(/Scan using outbox_unpublished/);
  expect(plans.join('\n')).not.toMatch(/Seq Scan on (send|send_event|campaign|audience_lookup|outbox)/);
});

it('probes the index once for each hole, and does not read the whole day, even before the day is analysed', async () => {
  const holes = `(select range_agg(int8range(g * 10, g * 10 + 9)) from generate_series(0, 990) g) + '{(,0),[9910,900000000)}'::int8multirange`;
  await world.dataSource.query(`update outcome_cursor_turn set done = ${holes} where shard = 0`);
  await world.dataSource.transaction(async (sql) => {
    // The triggers would ask for their sends, and autovacuum would analyse them.
    await sql.query(`set local session_replication_role = 'replica'`);
    await sql.query(
      `insert into send_event (position, at, send, sequence, shard, to_state)
       select 1000000 + g, $1, gen_random_uuid(), 1, 0, 'sent' from generate_series(1, 50000) g`,
      [new Date()],
    );
  });
  const ask = (sql: Sql) => workDue(sql, { now: START, upTo: START, loops: ['publish', 'rollup'] });
  expect(await ask(world.dataSource)).toMatchObject({ loops: [] });
  // For each hole a probe in each day, of some two blocks.
  const days = await world.dataSource.query(`select from day_partition where parent = 'send_event'`);
  expect(await blocksOf(world.dataSource, ask)).toBeLessThan(2 * 990 * days.length * 4);
});
