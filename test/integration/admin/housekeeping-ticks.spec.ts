// The tick stands in the process's schedule, and has housekeeping looked after again.
import { SchedulerRegistry } from '@nestjs/schedule';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../support/database.js';
import { schedulerConfig, startScheduler, type TestScheduler } from '../../support/scheduler.js';

let database: TestDatabase;
let scheduler: TestScheduler;

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url));
});

afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

it('ticks every minute, and a tick looks after the house', async () => {
  const job = scheduler.app.get(SchedulerRegistry).getCronJob('housekeeping');
  expect(job.cronTime.source).toBe('7 * * * * *');
  const woken = vi.spyOn(scheduler.parts.loops, 'wake');
  await job.fireOnTick();
  expect(woken).toHaveBeenCalledWith('housekeeping');
});
