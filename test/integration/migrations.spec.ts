// Every migration of both services, down and up again one by one with rows in the tables, then all of them from nothing:
// a step back leaves what the step before it had made, and loses no row of a table that stays.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DataSource, MigrationInterface } from 'typeorm';
import { pushServiceMigrations } from '../../migrations/push-service/index.js';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import type { Sql } from '../../src/platform/database/database.js';
import { migrationSource } from '../../src/platform/database/migrate-database.js';
import { describeSchema } from '../../tools/schema/describe-schema.js';
import { cloneDatabase, type TestDatabase } from '../support/postgres/database.js';
import { World } from '../support/scheduler/world.js';
import { furnish } from './push-service/delivery/furnish.js';

type Migrations = readonly (new () => MigrationInterface)[];

let database: TestDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

/** With the first `count` of the migrations known, and no others. */
async function withMigrations<Result>(
  schema: string,
  migrations: Migrations,
  work: (source: DataSource) => Promise<Result>,
): Promise<Result> {
  const applicationName = 'migrations';
  const source = await migrationSource({
    url: database.url,
    schema,
    migrations,
    poolSize: 1,
    applicationName,
  });
  await source.initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}

/** Everything that migrations make, whatever the order of columns: a way down brings one back as the last. */
async function shapeOf(source: Sql): Promise<string[]> {
  const parts = await describeSchema(source);
  return parts.map(({ kind, text }) => {
    const lines = text.split('\n').map((line) => line.replace(/,$/, ''));
    if (kind === 'table') return lines.sort().join('\n');
    return text;
  });
}

/** Rows of each table. */
async function countsOf(source: Sql): Promise<Record<string, number>> {
  const tables = await source.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = current_schema()::regnamespace
       and relkind in ('r', 'p') and not relispartition and relname <> 'migration' order by 1`,
  );
  const counts: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await source.query<{ count: number }>(`select count(*)::int as count from ${name}`);
    counts[name] = row?.count ?? 0;
  }
  return counts;
}

async function furnishScheduler(): Promise<void> {
  const world = await World.on(database.url);
  await world.project();
  const id = await world.send({ recipients: ['somebody'] });
  await world.send({ state: 'accepted' });
  // With the triggers: its history, what is told of it, and its campaign's sums.
  await world.dataSource.query(
    `update send set state = 'expired', code = 'TOO_LATE', changes = changes + 1, state_at = state_at, state_by = 'spec' where id = $1`,
    [id],
  );
  await world.close();
}

const furnishPushService = (): Promise<void> =>
  withMigrations('push', pushServiceMigrations, (source) =>
    furnish(source, new Date('2026-01-01T12:00:00Z'), 'kept', 3),
  );

describe.each([
  {
    schema: 'push',
    migrations: pushServiceMigrations,
    fill: furnishPushService,
    filled: [
      'delivery',
      'device',
      'fan_out_chunk',
      'firing',
      'message',
      'outcome_count',
      'push_user',
      'schedule',
    ],
  },
  {
    schema: 'scheduler',
    migrations: schedulerMigrations,
    fill: furnishScheduler,
    filled: [
      'campaign',
      'cell',
      'project',
      'project_key',
      'outcome_cursor_turn',
      'send',
      'send_event',
      'send_note',
      'send_recipients',
    ],
  },
])('the migrations of the schema $schema', ({ schema, migrations, fill, filled }) => {
  it('go down and up with rows in the tables, and come to the same', async () => {
    await fill();
    const rows = await withMigrations(schema, migrations, countsOf);
    expect(filled.filter((table) => (rows[table] ?? 0) === 0)).toEqual([]);
    /** By how many migrations are done. */
    const downTo: string[][] = [];
    for (let done = migrations.length; done > 0; done -= 1) {
      await withMigrations(schema, migrations.slice(0, done), async (source) => {
        const name = migrations[done - 1]?.name;
        const [shape, counts] = [await shapeOf(source), await countsOf(source)];
        downTo[done] ??= shape;
        await source.undoLastMigration();
        downTo[done - 1] = await shapeOf(source);
        const kept = await countsOf(source);
        expect([name, kept]).toEqual([
          name,
          Object.fromEntries(Object.entries(counts).filter(([table]) => table in kept)),
        ]);
        expect((await source.runMigrations()).map((one) => one.name)).toEqual([name]);
        expect([name, await shapeOf(source)]).toEqual([name, shape]);
        expect([name, await countsOf(source)]).toMatchObject([name, kept]);
        await source.undoLastMigration();
      });
    }
    expect(downTo[0]).toEqual([]);
    for (let done = 1; done <= migrations.length; done += 1) {
      await withMigrations(schema, migrations.slice(0, done), async (source) => {
        await source.runMigrations();
        const name = migrations[done - 1]?.name;
        expect([name, await shapeOf(source)]).toEqual([name, downTo[done]]);
      });
    }
  });
});
