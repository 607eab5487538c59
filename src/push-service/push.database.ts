// The push service's database: its own schema, its own migrations, which it runs by itself. Holds no queries.
import { pushServiceMigrations } from '../../migrations/push-service/index.js';
import { ensurePartitions } from '../platform/database/day-partitions.js';
import { migrate } from '../platform/database/migrate-database.js';
import { PooledDatabase, type DatabaseOptions } from '../platform/database/pooled-database.js';
import type { Secret } from '../platform/env.js';

export const PUSH_SCHEMA = 'push';

export function pushDataSource(
  url: Secret,
  poolSize: number,
  of: Pick<DatabaseOptions, 'applicationName' | 'limits' | 'onFault'> = {
    applicationName: 'carillon push service',
  },
): PooledDatabase {
  const migrations = pushServiceMigrations;
  return new PooledDatabase({ url: url.reveal(), schema: PUSH_SCHEMA, migrations, poolSize, ...of });
}

/**
 * Brings the schema up to date, and makes the days that the clock begins with. While another replica does so, throws who is
 * waited for, to be called again.
 */
export async function bringUpToDate(database: PooledDatabase, now: Date): Promise<void> {
  await migrate(database, {
    waiting: (words) => {
      throw new Error(words);
    },
  });
  await ensurePartitions(database, now);
}
