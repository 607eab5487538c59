// A scheduler whose database is restored from a backup, beside a push service that went on (operations.md, "After a failover, a restart
// or a restore"): nobody gets a message twice, and everything that comes again from Kafka is sent.
import { Client as Postgres } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { newMasterKey } from '../../../src/platform/secrets/sealed.js';
import { openStage, type Stage } from '../../contract/push-service/support/stage.js';
import { eventually } from '../../support/eventually.js';
import { cloneDatabase, onCluster, type TestDatabase } from '../../support/postgres/database.js';
import { foundExtensions, offBut } from '../../support/scheduler/extensions-used.js';
import { scheduled, type Json } from '../../support/scheduler/intake-world.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

const START = Date.parse('2027-03-01T00:00:00.000Z');
const MINUTE = 60_000;
const PATIENT = { withinMs: 40_000 };
const USERS = ['ann', 'bob', 'cho'];
const MASTER_KEY = newMasterKey('spec');
const KEYS = ['idempotency-key', 'close-key'];

const clock = new SteppedClock(START);
let stage: Stage;
let push: Postgres;
let database: TestDatabase;
let restored: string | undefined;
let serviceId: string;
let scheduler: TestScheduler;

beforeAll(async () => {
  [database, stage] = await Promise.all([cloneDatabase(), openStage()]);
  push = new Postgres({ connectionString: stage.target.databaseUrl, options: '-c search_path=push' });
  await push.connect();
  await moveTo(START);
  scheduler = await start(database.url);
  await project();
}, 120_000);
afterAll(async () => {
  await scheduler.close();
  await push.end();
  await stage.close();
  if (restored !== undefined)
    await onCluster(`drop database if exists ${new URL(restored).pathname.slice(1)} with (force)`);
  await database.drop();
});

async function start(url: string): Promise<TestScheduler> {
  const settings = {
    CARILLON_ROLES: 'api,plan,dispatch,follow',
    CARILLON_MASTER_KEY: MASTER_KEY,
    LOOP_IDLE_MS: '50',
  };
  const started = await startScheduler(schedulerConfig(url, settings), { clock });
  await eventually(() => started.dataSource.isInitialized);
  return started;
}

async function project(): Promise<void> {
  const client = await stage.project();
  ({ serviceId } = client);
  for (const userId of USERS) await client.register({ userId });
  const made = await scheduler.call('POST', '/v1/projects', {
    authorization: await scheduler.bearer(['admin']),
    body: {
      serviceId,
      baseUrl: stage.target.url,
      key: client.keys,
      maxTo: 1,
      extensionsOff: offBut(KEYS),
      minReserveLeadMs: MINUTE,
    },
  });
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  await foundExtensions(scheduler.dataSource, serviceId, KEYS);
}

async function moveTo(at: number): Promise<void> {
  await stage.freeze(new Date(at).toISOString());
  clock.set(at);
}

const event = (campaignId: string, inMs: number, policy: Json = {}): Json => {
  const delivery = { at: new Date(START + inMs).toISOString().slice(0, 19), zone: 'UTC' };
  const data = { serviceId, audience: { type: 'USER', to: USERS }, delivery, policy };
  return scheduled(campaignId, data, { time: new Date(START).toISOString() });
};

async function publish(one: Json): Promise<void> {
  const answer = await scheduler.call('POST', '/v1/events', {
    authorization: await scheduler.bearer(['publisher']),
    body: one,
    headers: { 'content-type': 'application/cloudevents+json' },
  });
  expect(answer.status).toBe(202);
}

const sends = async (): Promise<Record<string, number>> => {
  const rows = await scheduler.dataSource.query<{ name: string; count: number }>(
    `select c.campaign_id || ' ' || s.state as name, count(*)::int as count
       from send s join campaign c on c.id = s.campaign group by 1 order by 1`,
  );
  return Object.fromEntries(rows.map(({ name, count }) => [name, count]));
};

async function become(wanted: Record<string, number>): Promise<void> {
  await eventually(async () => {
    await moveTo(clock.now() + 2_000);
    expect(await sends()).toEqual(wanted);
  }, PATIENT);
}

const counted = async () =>
  (
    await push.query<{ taken: number; handed: number }>(
      `select (select count(*)::int from message where kind <> 'closed') as taken,
              (select count(*)::int from delivery) as handed`,
    )
  ).rows[0];

it('sends nothing twice, whatever left since the backup, and all that comes again', async () => {
  const [before, reserved, after, never] = [
    event('before', 5 * MINUTE, { handoff: 'hold' }),
    event('reserved', 10 * MINUTE),
    event('after', 6 * MINUTE, { handoff: 'hold' }),
    event('never', 20 * MINUTE, { handoff: 'hold' }),
  ] as const;
  await publish(before);
  await eventually(async () => expect(await sends()).toEqual({ 'before planned': 3 }));

  await scheduler.close();
  restored = database.url.replace(/\/([^/]+)$/, '/$1_restored');
  const [name, copy] = [database.url, restored].map((url) => new URL(url).pathname.slice(1));
  await onCluster(`create database ${copy ?? ''} template ${name ?? ''} strategy file_copy`);

  scheduler = await start(database.url);
  await publish(reserved);
  await publish(after);
  await eventually(async () =>
    expect(await sends()).toEqual({ 'after planned': 3, 'before planned': 3, 'reserved reserved': 3 }),
  );
  await moveTo(START + 6 * MINUTE);
  await become({ 'after sent': 3, 'before sent': 3, 'reserved reserved': 3 });
  expect(await counted()).toEqual({ taken: 9, handed: 6 });
  await scheduler.close();

  scheduler = await start(restored);
  expect(await sends()).toEqual({ 'before planned': 3 });
  // What Kafka brings once more, and one event that is new to both.
  for (const again of [reserved, after, never]) await publish(again);
  await become({ 'after sent': 3, 'before sent': 3, 'never planned': 3, 'reserved reserved': 3 });
  expect(await counted()).toEqual({ taken: 9, handed: 6 });
  await moveTo(START + 10 * MINUTE);
  await become({ 'after sent': 3, 'before sent': 3, 'never planned': 3, 'reserved sent': 3 });
  await moveTo(START + 20 * MINUTE);
  await become({ 'after sent': 3, 'before sent': 3, 'never sent': 3, 'reserved sent': 3 });
  expect(await counted()).toEqual({ taken: 12, handed: 12 });
}, 150_000);
