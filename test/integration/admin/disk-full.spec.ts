// The disk of PostgreSQL is full: answers, readiness and the log say so and what to do, and all goes on once there is room.
import { randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { SystemClock } from '../../../src/platform/clock.js';
import { DatabaseOutages } from '../../../src/platform/database/database-outages.js';
import { Secret } from '../../../src/platform/env.js';
import { createLog } from '../../../src/platform/logging/log.js';
import { eventually, eventuallyFound } from '../../support/eventually.js';
import { databaseOnDisk, type DatabaseOnDisk } from '../../support/postgres/full-disk.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { addProject, scheduled, SERVICE } from '../../support/scheduler/intake-world.js';

interface Line {
  readonly level: number;
  readonly msg: string;
}

const FULL = 'the disk of the database is full: free space on it or enlarge it';
const logged: string[] = [];
/** Without alerts, which have lines of their own. */
const warned = (): Line[] =>
  logged
    .map((line) => JSON.parse(line) as Line)
    .filter(({ level, msg }) => level >= 40 && !msg.startsWith('an alert '));
const log = createLog('scheduler', 'info', { write: (line: string) => void logged.push(line) });
let database: DatabaseOnDisk;
let scheduler: TestScheduler;

beforeAll(async () => {
  database = await databaseOnDisk();
  scheduler = await startScheduler(schedulerConfig(database.url, { LOOP_IDLE_MS: '50' }), { log });
  await eventually(() => scheduler.dataSource.isInitialized);
  await addProject(scheduler.dataSource);
});
afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

/** Refused, and kept with its reasons. */
const KEPT = 422;
let events = 0;
const post = (authorization: string) =>
  scheduler.call('POST', '/v1/events', {
    authorization,
    headers: { 'content-type': 'application/cloudevents+json' },
    // Text that does not compress, so that it needs new pages.
    body: scheduled(
      `full-${(events += 1)}`,
      { request: { text: randomBytes(60_000).toString('base64') } },
      {
        time: new Date().toISOString(),
      },
    ),
  });

it('answers, readiness and one line of the log report a full disk, and it passes', async () => {
  const publisher = await scheduler.bearer(['publisher'], [SERVICE]);
  const authorization = await scheduler.bearer(['analyst']);
  const ready = async () => scheduler.call('GET', '/health/ready', { authorization });
  expect((await post(publisher)).status).toBe(KEPT);
  await eventually(async () => expect((await ready()).status).toBe(200));

  await database.fill();
  const refused = await eventuallyFound(async () => {
    const answer = await post(publisher);
    return answer.status === KEPT ? undefined : answer;
  });
  expect(refused).toMatchObject({ status: 503, body: { code: 'DATABASE_FULL' } });
  expect((refused.body as { detail: string }).detail).toContain(FULL);
  expect(refused.headers.get('retry-after')).toBe('10');
  await eventually(async () =>
    expect(await ready()).toMatchObject({
      status: 503,
      body: { checks: expect.arrayContaining([{ name: 'database', ok: false, text: FULL }]) },
    }),
  );
  expect((await post(publisher)).status).toBe(503);
  expect(warned().map(({ msg }) => msg)).toEqual([expect.stringContaining(FULL)]);
  expect(logged.join('')).not.toContain('"stack"');

  await database.free();
  await eventually(async () => expect((await post(publisher)).status).toBe(KEPT));
});

it('the second line comes once nobody has met it for a while', async () => {
  const lines: Line[] = [];
  const outages = new DatabaseOutages({
    url: new Secret(database.url),
    applicationName: 'spec',
    clock: new SystemClock(),
    log: createLog('spec', 'info', { write: (line: string) => void lines.push(JSON.parse(line) as Line) }),
    quietMs: 300,
  });
  const client = new Client({ connectionString: database.url });
  await client.connect();
  try {
    const error = await client
      .query("do $$ begin raise exception 'No space left on device' using errcode = 'disk_full'; end $$")
      .catch((thrown: unknown) => thrown);
    expect(await outages.judge(error)).toBe(true);
    expect(outages.finding()).toBe(FULL);
    await eventually(() => expect(lines).toHaveLength(2));
    expect(lines.map(({ msg }) => msg)).toEqual([
      expect.stringContaining(FULL),
      expect.stringMatching(/^the shortage of the database is over after 0\.\d s; 1 tries failed meanwhile$/),
    ]);
    expect(outages.finding()).toBeUndefined();
  } finally {
    outages.stop();
    await client.end();
  }
});
