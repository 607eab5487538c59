// A race of four replicas, each in its own process, on one database with sends of a hundred days, a gateway that counts, and operators
// who cancel, pause, resume and retry. Meanwhile one replica is stopped for longer than T and goes on, one is killed, PostgreSQL is away
// for longer than T, fires come to it late, and a clock is set forward and back. A seed decides what is done; the machine decides when.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readLedger } from '../../../../src/scheduler/report/ledger/ledger.store.js';
import { startPostgres, type RunningPostgres } from '../../../../tools/postgres.js';
import { eventually, lasting } from '../../../support/eventually.js';
import { testLength } from '../../../support/lengths.js';
import { randomOf } from '../../../support/seeded.js';
import { PlanWorld } from '../../../support/scheduler/plan-world.js';
import { DAYS, keyOf, RaceCampaigns } from './race-campaigns.js';
import { RaceFaults, type Stood } from './race-faults.js';
import { RaceGateway } from './race-gateway.js';
import { histories, lostSends } from './race-history.js';
import { again, RaceOperators } from './race-operators.js';
import { RaceReplica } from './race-replica.js';
import { World } from '../../../support/scheduler/world.js';

const ROUNDS = testLength('RACE_ROUNDS', { normal: 1, long: 25 });
const SEED = Number(process.env['CARILLON_TEST_SEED'] ?? 20_270_801);
/** T of the heartbeats. */
const SILENT_MS = 3_500;
const OUTAGE_MS = SILENT_MS + 1_000;
/** The sends of the hundred days are due within this time; others come as long as the race goes on. */
const DUE_MS = 12_000;
const CLOCK_SET_MS = 4_000;

let postgres: RunningPostgres;
let folder: string;
let world: World;
let plans: PlanWorld;
let gateway: RaceGateway | undefined;
let replicas: RaceReplica[];
let started: number;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-race-'));
  postgres = await startPostgres({ stateDir: folder, durable: false });
  const url = await postgres.ensureDatabase('race');
  world = await World.migrated(url);
  plans = await PlanWorld.on(url, undefined, 35 * 86_400_000);
  replicas = [];
  started = 0;
});
afterEach(async () => {
  for (const replica of replicas) await replica.end('kill');
  await gateway?.close();
  await plans.close();
  await world.close();
  await postgres.remove();
  rmSync(folder, { recursive: true, force: true });
});

async function start(): Promise<RaceReplica> {
  started += 1;
  const replica = await RaceReplica.start({
    url: world.url,
    masterKey: world.masterKey,
    by: `replica ${started}`,
    aheadMs: 1_000,
    timeoutMs: 20_000,
    follows: true,
    silentMs: SILENT_MS,
    idleMs: 300,
  });
  replicas.push(replica);
  return replica;
}

interface Raced {
  readonly gateway: RaceGateway;
  readonly operators: RaceOperators;
  readonly stood: Stood;
  /** The replicas by name. */
  readonly still: string;
  readonly dead: string;
}

function shuffled<Value>(values: readonly Value[], random: () => number): Value[] {
  const drawn = values.map((value) => ({ value, place: random() }));
  return drawn.toSorted((a, b) => a.place - b.place).map(({ value }) => value);
}

/** Runs until all faults have happened, and every send has ended, except those of the dead replica. */
async function race(seed: number): Promise<Raced> {
  // Each has its own random numbers, so that the others do not change them.
  const chance = (of: number): (() => number) => randomOf(seed + of * 1_000_003);
  gateway = await RaceGateway.open(chance(1));
  const campaigns = await RaceCampaigns.open({ world, plans, random: chance(2) }, gateway);
  const operators = new RaceOperators({ world, gateway, random: chance(3) });
  await Promise.all([campaigns.furnish(Date.now() + 6_000, DUE_MS), start(), start(), start(), start()]);

  const [faults, clock] = [chance(4), chance(5)];
  const befall = new RaceFaults(world, gateway, postgres);
  const drawn = shuffled(replicas, faults);
  const [still, dead, late, skewed] = drawn as [RaceReplica, RaceReplica, RaceReplica, RaceReplica];
  let stood: Stood | undefined;
  const living = () => replicas.filter(({ isAlive }) => isAlive);
  const kill = async (): Promise<void> => {
    await lasting(faults() * 1_000);
    await Promise.all([dead.atNextFire(() => dead.crash()), start()]);
  };
  const acts = {
    gone: async () => void ([stood] = await Promise.all([befall.standStill(still), kill()])),
    outage: () => befall.outage(living(), OUTAGE_MS),
  };
  const [raced, filled] = [new AbortController(), new AbortController()];
  // Until then replicas have sends to fire, and operators have sends to cancel before they leave.
  const filling = again(200, filled.signal, () => campaigns.addAnother(Date.now() + 1_500));
  const meanwhile = [
    again(600, raced.signal, () => operators.cancel()),
    again(300, raced.signal, () => operators.pause()),
    again(500, raced.signal, () => operators.pause()),
    again(200, raced.signal, () => operators.retry()),
    again(100, raced.signal, () => befall.lateFire(late)),
    again(400, raced.signal, () => skewed.dispatcher.setClock((2 * clock() - 1) * CLOCK_SET_MS)),
  ];
  try {
    for (const act of shuffled(['gone', 'outage'] as const, faults)) {
      await lasting(faults() * 500);
      await acts[act]();
    }
  } finally {
    raced.abort();
    await Promise.all(meanwhile);
    filled.abort();
    await filling;
  }
  skewed.dispatcher.setClock(0);
  await allEnded(dead.by);
  if (stood === undefined) throw new Error('nobody stood still');
  return { gateway, operators, stood, still: still.by, dead: dead.by };
}

/** Only sends that the dead replica had in flight may stay uncertain. */
async function allEnded(dead: string): Promise<void> {
  await eventually(
    async () => {
      const lost = lostSends(await histories(world.dataSource)).filter(({ by }) => by === dead);
      const open = await world.dataSource.query(
        `select state, code, state_by, count(*)::int as n from send
          where state not in ('sent', 'failed', 'rejected', 'canceled')
            and not (state = 'uncertain' and id = any($1::uuid[])) group by 1, 2, 3`,
        [lost.map(({ send }) => send)],
      );
      expect(open).toEqual([]);
    },
    { everyMs: 500 },
  );
  await eventually(async () => {
    const open = await world.dataSource.query(
      "select state from campaign where state not in ('completed', 'canceled')",
    );
    expect(open).toEqual([]);
  });
}

interface Ended {
  readonly id: string;
  readonly service_id: string;
  readonly state: string;
  readonly request_id: string | null;
}

/** Compares each send with the gateway's requests for it: all under its own key, and none after the one that decided its fate. */
async function expectEachOnce({ gateway: { callsOf, called }, stood }: Raced): Promise<void> {
  const sends = await world.dataSource.query<Ended>('select id, service_id, state, request_id from send');
  const wrong = sends.filter(({ id, service_id: serviceId, state, request_id: requestId }) => {
    const calls = callsOf(id);
    const last = calls.at(-1);
    if (calls.some(({ key }) => key !== keyOf(serviceId))) return true;
    // If the answer of a send that was found lost is a refusal, the send may leave again.
    const notSent = stood.has(id) ? [503, 400] : [503];
    if (!calls.slice(0, -1).every(({ status }) => notSent.includes(status))) return true;
    switch (state) {
      case 'sent':
      case 'failed':
        return last?.status !== 202 || last.requestId !== requestId;
      case 'rejected':
        return last?.status !== 400;
      case 'canceled':
        return last !== undefined && !notSent.includes(last.status);
      default:
        return state !== 'uncertain';
    }
  });
  expect(wrong.map((send) => ({ ...send, calls: callsOf(send.id) }))).toEqual([]);
  const known = new Set(sends.map(({ id }) => id));
  expect(called().filter((send) => !known.has(send))).toEqual([]);
}

/** Only sends of the stopped and the dead replica were found lost, and these are requested only after another fire. */
async function expectLost({ gateway: { callsOf }, stood, still, dead }: Raced): Promise<void> {
  const lost = lostSends(await histories(world.dataSource)).filter(({ by }) => by !== dead);
  expect(lost.filter(({ by, send }) => by !== still || !stood.has(send))).toEqual([]);
  const late = lost.filter(
    ({ send, firedSince }) => callsOf(send).length > (stood.get(send) ?? 0) + firedSince,
  );
  expect(late).toEqual([]);
}

/** No send left that had not left when its cancel was committed, nor while it was paused. */
function expectCanceledQuiet({ operators, gateway: { callsOf } }: Raced): void {
  const called = [...operators.unsent].filter(([send, before]) => callsOf(send).length > before);
  expect(called).toEqual([]);
  expect(operators.leftPaused).toEqual([]);
}

/** Checks that the faults happened: otherwise it was no race. */
async function expectRaced({ operators, stood }: Raced): Promise<void> {
  expect(operators.unsent.size).toBeGreaterThan(0);
  expect(operators.paused).toBeGreaterThan(0);
  expect(stood.size).toBeGreaterThan(0);
  const [row] = await world.dataSource.query<{ days: number; retries: number; canceled: number }>(
    `select count(distinct date_trunc('day', created_at, 'UTC')) filter (where retry_of is null)::int as days,
            count(retry_of)::int as retries, count(*) filter (where state = 'canceled')::int as canceled from send`,
  );
  expect(row?.days).toBeGreaterThanOrEqual(DAYS);
  expect(row?.retries).toBeGreaterThan(0);
  expect(row?.canceled).toBeGreaterThan(0);
}

const rowsOfReplicas = async (): Promise<number> =>
  (await world.dataSource.query('select from replica')).length;

describe.each(Array.from({ length: ROUNDS }, (_, round) => SEED + round))(
  'four replicas, seed %i',
  (seed) => {
    it('lose no send, send none twice, after its cancel or while it is paused, and leave only those of a dead one uncertain', async () => {
      const raced = await race(seed);
      await raced.gateway.learn(world.dataSource);
      await expectEachOnce(raced);
      await expectLost(raced);
      expectCanceledQuiet(raced);
      await expectRaced(raced);
      await eventually(async () => expect(await rowsOfReplicas()).toBe(4));
      for (const replica of replicas.splice(0)) await replica.end('stop');
      expect(await rowsOfReplicas()).toBe(0);
      const ledger = await readLedger(world.dataSource, { serviceIds: null }, Date.now());
      expect(ledger.missing).toEqual([]);
      expect(ledger.balanced).toBe(true);
    }, 180_000);
  },
);
