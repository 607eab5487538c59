// The push service's database: a schema of its own, with migrations that the service runs itself. Holds no queries.
import { pushServiceMigrations } from '../../migrations/push-service/index.js';
import { ensurePartitions } from '../platform/database/day-partitions.js';
import { migrate } from '../platform/database/migrate-database.js';
import { PooledDatabase, type DatabaseOptions } from '../platform/database/pooled-database.js';
import type { Secret } from '../platform/env.js';

const PUSH_SCHEMA = 'push';

export function pushDataSource(
  url: Secret,
  poolSize: number,
  options: Pick<DatabaseOptions, 'limits' | 'onFault'> = {},
): PooledDatabase {
  return new PooledDatabase({
    url: url.reveal(),
    schema: PUSH_SCHEMA,
    migrations: pushServiceMigrations,
    poolSize,
    applicationName: 'carillon push service',
    ...options,
  });
}

/**
 * Migrates the schema, and makes the partitions of the first days by the clock. While another replica does so, throws an error
 * that names it: call it again then.
 */
export async function bringUpToDate(database: PooledDatabase, now: Date): Promise<void> {
  await migrate(database, {
    waiting: (words) => {
      throw new Error(words);
    },
  });
  await ensurePartitions(database, now);
  // Begins anew after a restore, before this process takes a message.
  await database.query('select seconds_known($1)', [now]);
}
