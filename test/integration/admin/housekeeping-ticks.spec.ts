// The process's schedule has the tick, which wakes housekeeping; nothing is deleted while the clock is wrong.
import { SchedulerRegistry } from '@nestjs/schedule';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Housekeeping } from '../../../src/scheduler/admin/housekeeping/housekeeping.js';
import { Retention } from '../../../src/scheduler/outcomes/retention/retention.js';
import { eventually } from '../../support/eventually.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

let database: TestDatabase;
let scheduler: TestScheduler;
let aheadMs = 0;

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url), { wall: () => Date.now() + aheadMs });
});

afterAll(async () => {
  vi.restoreAllMocks();
  await scheduler.close();
  await database.drop();
});

it('ticks every minute, and a tick wakes housekeeping', async () => {
  const job = scheduler.app.get(SchedulerRegistry).getCronJob('housekeeping');
  expect(job.cronTime.source).toBe('7 * * * * *');
  const woken = vi.spyOn(scheduler.internals.loops, 'wake');
  await job.fireOnTick();
  expect(woken).toHaveBeenCalledWith('housekeeping');
});

it('deletes nothing while the clock of the machine is wrong, and does once it is right', async () => {
  const retired = vi.spyOn(Retention.prototype, 'runOnce');
  const kept = vi.spyOn(Housekeeping.prototype, 'runOnce');
  const { loops } = scheduler.internals;
  /** The second round of a loop begins once its first is over. */
  const rounds = async (): Promise<unknown[]> => {
    retired.mockClear();
    kept.mockClear();
    for (const count of [1, 2]) {
      loops.wake('retention');
      loops.wake('housekeeping');
      await eventually(() => expect(kept.mock.calls.length).toBeGreaterThanOrEqual(count));
    }
    return [kept.mock.lastCall, retired.mock.calls.length > 0];
  };
  await eventually(async () => expect(await rounds()).toEqual([[true], true]));
  aheadMs = 365 * 86_400_000;
  expect(await scheduler.internals.clockCheck.findsRight()).toBe(false);
  await rounds();
  expect(await rounds()).toEqual([[false], false]);
  aheadMs = 0;
  await eventually(async () => expect(await rounds()).toEqual([[true], true]));
});
