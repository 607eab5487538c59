// What the dispatcher does when the database did what it was asked and its answer is never heard. Counted at the gateway,
// which knows no Idempotency-Key: each send is asked for once, and none is left uncertain.
import type { DataSource } from 'typeorm';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { createDataSource, rowsOf } from '../../../src/platform/database.js';
import { AnswerLosingProxy, type Fate } from '../../support/answer-losing-proxy.js';
import { eventually } from '../../support/eventually.js';
import { randomOf } from '../../support/seeded.js';
import { sendStatementOf, type SendStatement } from '../../support/send-statements.js';
import { Gateway } from './gateway.js';
import { rigOf, type Limits, type Rig } from './rig.js';
import { START, World } from './world.js';

let world: World;
let gateway: Gateway;
let proxy: AnswerLosingProxy<SendStatement>;
let sql: DataSource;
let rig: Rig;
let fateOf: (name: SendStatement) => Fate;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  gateway.skewMs = START - Date.now();
  await world.project({ base_url: gateway.url });
  fateOf = () => undefined;
  proxy = await AnswerLosingProxy.inFrontOf(world.url, {
    nameOf: sendStatementOf,
    fateOf: (name) => fateOf(name),
  });
  sql = createDataSource({
    url: proxy.url,
    schema: 'scheduler',
    migrations: [],
    poolSize: 4,
    applicationName: 'spec',
  });
  await sql.initialize();
});
afterEach(async () => {
  await rig.stop();
  await gateway.close();
  await sql.destroy();
  await proxy.close();
});

function start(limits: Limits = {}): void {
  rig = rigOf(world, new SteppedClock(START), { sql, ...limits });
}

async function sendsOf(count: number): Promise<string[]> {
  const sends: string[] = [];
  const campaign = await world.campaign();
  for (let chunk = 0; chunk < count; chunk += 1) {
    sends.push(await world.send({ campaign, chunk, recipients: [`user-${chunk}`] }));
  }
  return sends;
}

/** Rounds until every send has ended here. */
async function dispatchAll(): Promise<void> {
  await eventually(async () => {
    await rig.dispatch.runOnce().catch(() => undefined);
    const rows = await rowsOf(
      world.dataSource,
      `select state, code from send where state not in ('accepted', 'uncertain')`,
    );
    expect(rows).toEqual([]);
  });
}

async function expectEachOnce(sends: readonly string[]): Promise<void> {
  const asked = new Map<string, string[]>();
  for (const { body, requestId } of gateway.posts) {
    const [user = ''] = (JSON.parse(body) as { target: { to: string[] } }).target.to;
    asked.set(user, [...(asked.get(user) ?? []), requestId]);
  }
  const rows = await rowsOf<{ user: string; state: string; request_id: string }>(
    world.dataSource,
    'select recipients[1] as user, state, request_id from send',
  );
  expect(rows).toHaveLength(sends.length);
  const wrong = rows.filter(
    ({ user, state, request_id }) => state !== 'accepted' || asked.get(user)?.join() !== request_id,
  );
  expect(wrong).toEqual([]);
}

/** Each call has its row, and each that was not made says so. */
async function expectAttemptsTold(): Promise<void> {
  const rows = await rowsOf(
    world.dataSource,
    `select s.id, s.attempts, (select array_agg(a.outcome order by a.attempt) from attempt a where a.send = s.id) as outcomes
       from send s
      where s.attempts <> (select count(*) from attempt a where a.send = s.id)
         or exists (select from attempt a where a.send = s.id and (a.ended_at is null
                      or (a.outcome = 'taken') <> (a.attempt = s.attempts) or a.request_sent <> (a.outcome = 'taken')))`,
  );
  expect(rows).toEqual([]);
}

describe('a send whose fire was committed unheard', () => {
  it('leaves once, with 30 % of the answers of fire lost', async () => {
    const random = randomOf(20_270_301);
    fateOf = (name) => (name === 'fire' && random() < 0.3 ? 'lost' : undefined);
    const sends = await sendsOf(300);
    start({ batch: 10 });
    await dispatchAll();
    expect(proxy.lost.get('fire')).toBeGreaterThan(3);
    await expectEachOnce(sends);
    await expectAttemptsTold();
  });
});
