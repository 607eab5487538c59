// Where retention is shown to people and programs: the command, the metrics, readiness, and the answer for a send that is gone.
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carillon } from '../../support/compiled.js';
import { eventually } from '../../support/eventually.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { addPastDays } from '../../../tools/past-days.js';
import { dropDays } from '../../support/postgres/partitions.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { PlanWorld, users } from '../../support/scheduler/plan-world.js';

const DAY_MS = 86_400_000;
const today = (): number => Math.floor(Date.now() / DAY_MS);
const BEGAN = today();
const OLD = (BEGAN - 100) * DAY_MS;
/** Yesterday's and today's, and one more should midnight pass meanwhile. */
const daysOfNow = (): number => today() - BEGAN + 2;
const dateOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

let world: PlanWorld;
let sends: readonly string[];
let env: Record<string, string>;
beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows('update project set max_to = 1');
  await dropDays(world.dataSource);
  await addPastDays(world.dataSource, OLD, 1);
  await addPastDays(world.dataSource, Date.now() - DAY_MS, 5);
  world.clock.set(OLD + DAY_MS / 2);
  ({ sends } = await world.planned({ audience: users(2) }));
  for (const send of sends)
    await world.lead(send, ['sending', 'accepted', 'sent'], { target_count: 1, sent_count: 1 });
  while ((await world.closeFinished.runOnce()) > 0);
  await world.rows('analyze send');
  env = { DATABASE_URL: world.url, CARILLON_MASTER_KEY: `k1:${randomBytes(32).toString('base64')}` };
});
afterAll(() => world.close());

describe('carillon retention', () => {
  interface Answer {
    readonly sendDays: number;
    readonly reportDays: number;
    readonly growthADay: number;
    readonly fullInDays?: number;
    readonly kept: readonly {
      kind: string;
      oldestDay: string | null;
      days: number;
      bytes: number;
      bytesADay: number;
    }[];
    readonly due?: readonly { day: string; sends: number; bytes: number }[];
  }
  const asked = async (args: string[], more: Record<string, string> = {}): Promise<Answer> => {
    const ended = await carillon(['retention', ...args, '--json'], { ...env, ...more });
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    return JSON.parse(ended.stdout) as Answer;
  };

  it('shows since when each kind is kept, how much of it there is and how fast it grows', async () => {
    const { kept, growthADay, fullInDays, due, ...days } = await asked([], { SEND_RETENTION_DAYS: '40' });
    expect([days, due]).toEqual([{ sendDays: 40, reportDays: 1_100 }, undefined]);
    const [sizes] = await world.rows<{ send: number; rest: number }>(
      `select (select sum(pg_total_relation_size(relid)) from pg_partition_tree('send'))::float8 as send,
              pg_total_relation_size('campaign')::float8 as rest`,
    );
    const send = kept.find(({ kind }) => kind === 'send');
    expect(send).toMatchObject({ oldestDay: dateOf(OLD), days: 1 + daysOfNow(), bytes: sizes?.send });
    expect(send?.bytesADay).toBeGreaterThan(0);
    expect(fullInDays).toBeUndefined();
    expect(growthADay).toBe(kept.reduce((sum, { bytesADay }) => sum + bytesADay, 0));
    expect(kept.map(({ kind }) => kind)).toEqual([
      '',
      'attempt',
      'event',
      'send',
      'send_event',
      'send_note',
      'send_recipients',
    ]);
    expect(kept[0]?.bytes).toBeGreaterThan(sizes?.rest ?? Infinity);
  });

  it('shows in how many days the disk is full, where its size is given', async () => {
    const disk = { DATABASE_DISK_GB: '1' };
    const { growthADay, fullInDays } = await asked([], disk);
    const [row] = await world.rows<{ taken: number }>(
      'select pg_database_size(current_database())::float8 as taken',
    );
    expect(Math.abs((fullInDays ?? NaN) * growthADay - (1e9 - (row?.taken ?? 0)))).toBeLessThan(
      2 * growthADay,
    );
    const { stdout } = await carillon(['retention'], { ...env, ...disk });
    const daysLeft = Number(/the disk is full in (\d+) days at this rate/.exec(stdout)?.[1]);
    // The database may grow by a page between two questions, and a day may end there.
    const { fullInDays: later } = await asked([], disk);
    expect(daysLeft).toBeLessThanOrEqual(fullInDays ?? NaN);
    expect(daysLeft).toBeGreaterThanOrEqual(later ?? NaN);
  });

  it('--dry-run shows which days would go, and none does', async () => {
    const { due } = await asked(['--dry-run']);
    expect(due).toEqual([{ day: dateOf(OLD), sends: 2, bytes: expect.any(Number) }]);
    // Its end is 99 days ago: it goes two days after its time.
    expect((await asked(['--dry-run'], { SEND_RETENTION_DAYS: '98' })).due).toEqual([]);
    const { stdout } = await carillon(['retention', '--dry-run'], env);
    expect(stdout).toMatch(new RegExp(`^would go: ${dateOf(OLD)}, [\\d.]+ [KMG]B, some 2 sends$`, 'm'));
    expect(stdout).toMatch(/^grows by [\d.]+ [KMG]B a day: each 100 GB that are free last \d+ days/m);
    expect(await world.count('send')).toBe(2);
  });

  it('refuses fewer days than keys and event times count on', async () => {
    const ended = await carillon(['retention'], { ...env, SEND_RETENTION_DAYS: '30' });
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining('SEND_RETENTION_DAYS') });
  });
});

describe('a scheduler', () => {
  let scheduler: TestScheduler;
  let authorization: string;
  beforeAll(async () => {
    scheduler = await startScheduler(schedulerConfig(world.url, { DATABASE_DISK_GB: '1' }));
    await eventually(() => scheduler.dataSource.isInitialized);
    authorization = await scheduler.bearer(['admin']);
  });
  afterAll(() => scheduler.close());

  it('drops what is of age by itself, and answers 410 with the day from then on', async () => {
    const [id = ''] = sends;
    const gone = {
      status: 410,
      body: { code: 'PAST_RETENTION', day: dateOf(OLD) },
    };
    const call = (method: string, path: string, body?: object) =>
      scheduler.call(method, `/v1/sends/${path}`, { authorization, body });
    await eventually(async () => expect(await call('GET', id)).toMatchObject(gone));
    expect(await call('GET', id.toUpperCase())).toMatchObject(gone);
    expect(await call('GET', `${id}/attempts`)).toMatchObject(gone);
    expect(await call('POST', `${id}/retry`)).toMatchObject(gone);
    const resolution = { resolution: 'confirmed-sent', reason: 'it is in their list' };
    expect(await call('POST', `${id}/resolve`, resolution)).toMatchObject(gone);
    // A send made before that day may have ended on it. A later one is there, or never was.
    expect(await call('GET', v7({ msecs: OLD - DAY_MS }))).toMatchObject(gone);
    expect(await call('GET', v7({ msecs: Date.now() }))).toMatchObject({ status: 404 });
  });

  it('measures what is kept', async () => {
    let text = '';
    const value = (name: string): number =>
      Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1] ?? NaN);
    // The day that went just now is counted until it is measured anew.
    await eventually(async () => {
      text = await (await fetch(scheduler.metricsUrl)).text();
      expect(value('carillon_days_going')).toBe(0);
    });
    expect(value('carillon_days_ahead')).toBe(3);
    expect(value('carillon_kept_days\\{kind="send"\\}')).toBe(daysOfNow());
    expect(value('carillon_kept_bytes\\{kind="send"\\}')).toBeGreaterThan(0);
    expect(value('carillon_days_until_full')).toBeGreaterThan(0);
    expect(value('carillon_kept_bytes\\{kind="rest"\\}')).toBeGreaterThan(0);
    expect(value('carillon_kept_bytes_a_day\\{kind="send_event"\\}')).toBeGreaterThan(0);
  });

  it('is not ready with fewer than two days ahead, says what to do, and is once they are made', async () => {
    const ready = () => scheduler.call('GET', '/health/ready', { authorization });
    await eventually(async () => expect(await ready()).toMatchObject({ status: 200 }));
    // Whoever makes days waits for this one.
    const changer = await OwnConnection.beside(scheduler.dataSource);
    try {
      await changer.query('begin');
      await changer.query('lock table attempt in share update exclusive mode');
      const last = dateOf(Date.now() + 2 * DAY_MS).replaceAll('-', '_');
      await changer.query(`drop table attempt_${last}`);
      await changer.query('commit; begin; lock table attempt in share update exclusive mode');
      await eventually(async () => {
        const { status, body } = await ready();
        expect(status).toBe(503);
        const { checks } = body as { checks: { name: string; ok: boolean; note?: true; text: string }[] };
        expect(checks.filter(({ ok, note }) => !ok && note !== true)).toMatchObject([
          {
            name: 'days ahead',
            text: expect.stringMatching(/today and 1 days more: "carillon migrate" makes/),
          },
        ]);
      });
    } finally {
      await changer.release();
    }
    scheduler.internals.loops.wake('housekeeping');
    await eventually(async () => expect(await ready()).toMatchObject({ status: 200 }));
  });
});
