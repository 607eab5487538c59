// Both services' schemas with the migrations that make them: what tests are cloned from and schema.sql is written from.
import { join } from 'node:path';
import { pushServiceMigrations } from '../../migrations/push-service/index.js';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import { createDataSource, type Sql } from '../../src/platform/database/database.js';
import { migrate } from '../../src/platform/database/migrate-database.js';
import { projectRoot } from '../project.js';

export const SERVICE_SCHEMAS = [
  { service: 'scheduler', schema: 'scheduler', migrations: schedulerMigrations },
  { service: 'push-service', schema: 'push', migrations: pushServiceMigrations },
] as const;

export function schemaFile(service: string): string {
  return join(projectRoot, 'sql', service, 'schema.sql');
}

/** Runs every migration of that schema in the database. Nobody is connected when it returns. */
export async function withMigrated<Result>(
  url: string,
  { service, schema, migrations }: (typeof SERVICE_SCHEMAS)[number],
  work: (source: Sql) => Promise<Result>,
): Promise<Result> {
  const source = createDataSource({
    url,
    schema,
    migrations,
    poolSize: 2,
    applicationName: `schema of ${service}`,
  });
  await source.initialize();
  try {
    await migrate(source);
    return await work(source);
  } finally {
    await source.destroy();
  }
}
