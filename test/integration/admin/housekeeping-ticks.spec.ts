// The hourly tick stands in the process's schedule, and has housekeeping looked after again.
import { SchedulerRegistry } from '@nestjs/schedule';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
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

it('ticks every hour, and a tick looks after the house', async () => {
  const job = scheduler.app.get(SchedulerRegistry).getCronJob('housekeeping');
  expect(job.cronTime.source).toBe('0 7 * * * *');
  const { dataSource: sql, parts } = scheduler;
  await eventually(() =>
    expect(parts.loops.status()).toContainEqual({ name: 'housekeeping', lastError: undefined }),
  );
  await sql.query(
    `insert into idempotent_answer (token_id, key, request_hash, created_at)
     values (gen_random_uuid(), 'old', '\\x00', now() - interval '31 days')`,
  );
  await job.fireOnTick();
  await eventually(async () => expect(await sql.query('select from idempotent_answer')).toEqual([]));
});
