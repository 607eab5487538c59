// Whether a database can be relied on: reachable, new enough, migrated, and durable. Asked at start, by /health/ready
// and by the doctor; changes nothing.
import { versionFinding } from './database.js';
import type { Finding } from '../http/health.js';
import { connect, type PooledDatabase } from './pooled-database.js';

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

const IN_TRANSACTION_MODE =
  'a pooler in transaction mode stands before the database: give it session mode, or name the database itself';
/** A pooler may give a connection the same of the server's by chance. */
const POOLER_ROUNDS = 5;

/**
 * A pooler that gives the statements of one connection to several of the server's, or of several to one: settings, LISTEN and
 * prepared statements of one would be another's. Told by two connections at once.
 */
export async function poolerFinding({ options }: PooledDatabase): Promise<Finding> {
  const clients = [await connect(options)];
  try {
    clients.push(await connect(options));
    for (let round = 0; round < POOLER_ROUNDS; round += 1) {
      const told = clients.map((client, index) =>
        client.query("select set_config('carillon.connection', $1, false)", [`${round}/${index}`]),
      );
      await Promise.all(told);
      const seen = clients.map(async (client, index) => {
        const { rows } = await client.query<{ name: string }>(
          "select current_setting('carillon.connection', true) as name",
        );
        return rows[0]?.name === `${round}/${index}`;
      });
      if ((await Promise.all(seen)).includes(false)) return IN_TRANSACTION_MODE;
    }
    return undefined;
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
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
