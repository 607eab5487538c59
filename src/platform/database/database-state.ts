// Whether a database can be relied on: reachable, new enough, migrated, and durable. Asked at start, by /health/ready
// and by the doctor; changes nothing.
import { versionFinding } from './database.js';
import type { Finding } from '../http/health.js';
import type { PooledDatabase } from './pooled-database.js';

/** Names of migrations this build has and the database has not run. Throws when the database is away. */
export async function missingMigrations(dataSource: PooledDatabase): Promise<string[]> {
  const { schema, migrations } = dataSource.options;
  const [there] = await dataSource.query<{ ok: boolean }>(`select to_regclass($1) is not null as ok`, [
    `${schema}.migration`,
  ]);
  const known = migrations.map((migration) => migration.name);
  if (there?.ok !== true) return known;
  const done = await dataSource.query<{ name: string }>('select name from migration');
  const ran = new Set(done.map(({ name }) => name));
  return known.filter((name) => !ran.has(name));
}

export function migrationFinding(missing: readonly string[]): Finding {
  if (missing.length === 0) return undefined;
  return `${missing.length} migrations are missing (${missing.join(', ')}): run "carillon migrate"`;
}

/** With synchronous_commit off, an event whose offset was committed could be lost in a crash (life-of-a-send.md, "Guarantee 1"). */
export async function durabilityFinding(dataSource: PooledDatabase): Promise<Finding> {
  const [row] = await dataSource.query<{ level: string }>(
    `select current_setting('synchronous_commit') as level`,
  );
  if (row?.level !== 'off') return undefined;
  return 'synchronous_commit is off: accepted events could be lost in a crash; set it on for this database';
}

/** The first thing that is wrong, or undefined. */
export async function databaseFinding(dataSource: PooledDatabase): Promise<Finding> {
  if (!dataSource.isInitialized) return 'no connection to the database yet; it is tried again and again';
  return (
    (await versionFinding(dataSource)) ??
    migrationFinding(await missingMigrations(dataSource)) ??
    (await durabilityFinding(dataSource))
  );
}
