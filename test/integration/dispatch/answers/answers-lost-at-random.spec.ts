// Seeded rounds in which statements take effect and the database's answers are lost: the answers of every statement that changes a send,
// or all connections are cut again and again; one replica or two, against the real push service, which knows no Idempotency-Key here.
// Its own rows are compared with ours: no send is lost, doubled or uncertain, because none leaves unless the fire is known.
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createDataSource } from '../../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../../src/platform/database/pooled-database.js';
import { askAct } from '../../../../src/scheduler/store/send/act.store.js';
import { Management } from '../../../contract/push-service/support/client.js';
import { startTarget, type Target } from '../../../contract/push-service/support/target.js';
import { AnswerLosingProxy } from '../../../support/postgres/answer-losing-proxy.js';
import { eventually } from '../../../support/eventually.js';
import { testLength } from '../../../support/lengths.js';
import { randomOf } from '../../../support/seeded.js';
import { sendStatementOf, type SendStatement } from '../../../support/postgres/send-statements.js';
import { Replica } from '../../../support/scheduler/replica.js';
import { World } from '../../../support/scheduler/world.js';

const ROUNDS = testLength('FAULT_ROUNDS', { normal: 3, long: 50 });
const CUT_SECONDS = testLength('CUT_SECONDS', { normal: 2, long: 15 });
const CUT_EVERY_MS = 400;
const SEED = Number(process.env['CARILLON_TEST_SEED'] ?? 20_270_501);
/** Sent and followed; and reserved, then cancelled. */
const SENT = 40;
const CANCELED = 12;

let target: Target;
let world: World;
let proxy: AnswerLosingProxy<SendStatement> | undefined;
const replicas: Replica[] = [];

beforeAll(async () => {
  target = await startTarget({ PUSH_IDLE_MS: '50' });
});
afterEach(async () => {
  for (const replica of replicas.splice(0)) await replica.stop();
  await proxy?.close();
  await world.close();
});
afterAll(() => target.close());

/** A project of its own at the push service, and two campaigns: one to be sent over `lastMs`, one to be taken back. */
async function furnish(random: () => number, lastMs: number): Promise<{ sent: string; canceled: string }> {
  const project = await new Management(target).newService({});
  const { serviceId, keys } = project;
  await world.project({ service_id: serviceId, base_url: target.url, in_flight: 8, rate_per_second: 1_000 }, [
    [keys.accessKey, keys.secretKey],
  ]);
  const [sent, canceled] = [await world.campaign({ serviceId }), await world.campaign({ serviceId })];
  const now = Date.now();
  const inAnHour = Math.ceil(now / 60_000 + 60) * 60_000;
  await Promise.all(
    Array.from({ length: SENT + CANCELED }, async (_, chunk) => {
      const user = `user-${serviceId}-${chunk}`;
      await project.register({ userId: user });
      const seedOf = { serviceId, chunk, recipients: [user] };
      if (chunk < SENT)
        await world.send({ ...seedOf, campaign: sent, dueAt: now + 500 + Math.floor(random() * lastMs) });
      else
        await world.send({
          ...seedOf,
          campaign: canceled,
          mode: 'reserved',
          dueAt: inAnHour,
          handOffAt: now,
        });
    }),
  );
  return { sent, canceled };
}

/** Does it again until an answer comes, like an operator. */
async function cancel(sql: PooledDatabase, campaign: string): Promise<void> {
  const ask = { campaign, act: 'cancel' as const, now: new Date(), by: 'spec', code: 'CANCELED_BY_OPERATOR' };
  await eventually(() => sql.transaction((own) => askAct(own, ask)));
}

async function statesOf(campaign: string): Promise<Record<string, number>> {
  const rows = await world.dataSource.query<{ state: string; n: number }>(
    'select state, count(*)::int as n from send where campaign = $1 group by 1',
    [campaign],
  );
  return Object.fromEntries(rows.map(({ state, n }) => [state, n]));
}

/** The requests the push service took for each user. */
async function takenByUser(): Promise<Map<string, string[]>> {
  const client = new Client({ connectionString: target.databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ id: string; user: string }>(
      `select m.id, jsonb_array_elements_text(m.request::jsonb -> 'target' -> 'to') as user from push.message m`,
    );
    const taken = new Map<string, string[]>();
    for (const { id, user } of rows) taken.set(user, [...(taken.get(user) ?? []), id]);
    return taken;
  } finally {
    await client.end();
  }
}

/** Compares the push service's rows, our sends, their attempts and history. */
async function expectAllToldOnce(): Promise<void> {
  const taken = await takenByUser();
  const found = await world.dataSource.query<{
    id: string;
    request_id: string | null;
    attempts: number;
    state: string;
  }>('select id, request_id, attempts, state from send');
  const sends = found.map((send) => ({ ...send, user: world.usersOf.get(send.id)?.[0] ?? '' }));
  expect(sends).toHaveLength(SENT + CANCELED);
  // A send that was cancelled before it left was never requested.
  const wrong = sends.filter(({ user, request_id }) => (taken.get(user)?.join() ?? null) !== request_id);
  expect(wrong).toEqual([]);
  const gaps = await world.dataSource.query(
    `select s.id, s.state, s.attempts from send s
      where s.attempts <> (select count(*) from send_attempt a where a.send = s.id)
         or exists (select from send_attempt a where a.send = s.id and a.ended_at is null)
         or 1 < (select count(*) from send_attempt a where a.send = s.id and a.request_sent and a.kind = 'send')
         or s.state <> (select h.to_state from send_history h where h.send = s.id order by sequence desc limit 1)`,
  );
  expect(gaps).toEqual([]);
}

/** Statements whose answers are lost in some round: if a statement's text changed, its answers would no longer be lost unnoticed. */
const lostInAll = new Map<SendStatement, number>();
const COMMON: readonly SendStatement[] = ['look-ahead', 'fire', 'record', 'polls', 'poll', 'beat'];
/** Few in a short run. */
const RARE: readonly SendStatement[] = ['cancel', 'acts'];

const FAULTS = ['answers lost', 'connections cut'] as const;
/** In a short run a case a seed, by turns; in a long one every case of every seed. */
const CASES = Array.from({ length: ROUNDS }, (_, round) => SEED + round).flatMap((seed, round) => {
  const cases = FAULTS.flatMap((fault, index) =>
    [1 + index, 2 - index].map((count) => ({ seed, fault, count })),
  );
  return ROUNDS > 3 ? cases : cases.filter((_, index) => index === [0, 2, 1][round]);
});

describe.each(CASES)('$fault, replicas: $count, seed $seed', ({ seed, fault, count }) => {
  it('loses nothing, sends nothing twice, and is uncertain of nothing', async () => {
    const random = randomOf(seed);
    world = await World.open();
    const lostIn = fault === 'answers lost' ? 0.2 : 0;
    proxy = await AnswerLosingProxy.inFrontOf(world.url, {
      nameOf: sendStatementOf,
      fateOf: () => (random() < lostIn ? 'lost' : undefined),
    });
    const { sent, canceled } = await furnish(random, CUT_SECONDS * 1_000);
    for (let index = 0; index < count; index += 1) replicas.push(await Replica.start(world, proxy.url));
    if (fault === 'connections cut') proxy.cutEvery(CUT_EVERY_MS, (CUT_SECONDS * 1_000) / CUT_EVERY_MS);
    const operator = createDataSource({
      url: proxy.url,
      schema: 'scheduler',
      migrations: [],
      poolSize: 1,
      applicationName: 'operator of a spec',
    });
    await eventually(() => operator.initialize());
    // While they leave, are held, or are asked about.
    const held = Math.floor(random() * CANCELED);
    await eventually(async () => ((await statesOf(canceled))['reserved'] ?? 0) >= held, { everyMs: 5 });
    await cancel(operator, canceled);
    await operator.destroy();
    await eventually(
      async () => {
        const rows = await world.dataSource.query(
          `select state, code, count(*)::int as n from send where state not in ('sent', 'canceled', 'uncertain') group by 1, 2`,
        );
        expect(rows).toEqual([]);
      },
      { withinMs: 120_000, everyMs: 50 },
    );
    expect(await statesOf(canceled)).toEqual({ canceled: CANCELED });
    for (const replica of replicas.splice(0)) await replica.stop();
    for (const [name, times] of proxy.lost) lostInAll.set(name, (lostInAll.get(name) ?? 0) + times);
    await expectAllToldOnce();
    expect(await statesOf(sent)).toEqual({ sent: SENT });
  }, 240_000);
});

it('each of these statements has lost an answer', () => {
  const names = ROUNDS > 3 ? [...COMMON, ...RARE] : COMMON;
  expect(names.filter((name) => !lostInAll.has(name))).toEqual([]);
});
