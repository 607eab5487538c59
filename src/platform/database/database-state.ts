// Checks whether one can rely on a database: reachable, new enough, migrated, and durable. Used at the start, by /health/ready
// and by the doctor. Changes nothing.
import { serverFinding } from './database.js';
import type { Finding } from '../http/health.js';
import { connect, type PooledDatabase } from './pooled-database.js';

/** The names of the migrations that this build has and that the database has not run. Throws when the database is away. */
export async function missingMigrations(database: PooledDatabase): Promise<string[]> {
  const { schema, migrations } = database.options;
  const [table] = await database.query<{ found: boolean }>(`select to_regclass($1) is not null as found`, [
    `${schema}.migration`,
  ]);
  const known = migrations.map((migration) => migration.name);
  if (table?.found !== true) return known;
  const done = await database.query<{ name: string }>('select name from migration');
  const ran = new Set(done.map(({ name }) => name));
  return known.filter((name) => !ran.has(name));
}

export async function migrationFinding(database: PooledDatabase): Promise<Finding> {
  const missing = await missingMigrations(database);
  if (missing.length === 0) return undefined;
  return `${missing.length} migrations are missing (${missing.join(', ')}): run "carillon migrate"`;
}

/** With synchronous_commit off, a crash could lose an event whose offset was committed (life-of-a-send.md, "Guarantee 1"). */
export async function durabilityFinding(database: PooledDatabase): Promise<Finding> {
  const [row] = await database.query<{ level: string }>(
    `select current_setting('synchronous_commit') as level`,
  );
  if (row?.level !== 'off') return undefined;
  return 'synchronous_commit is off: accepted events could be lost in a crash; set it on for this database';
}

const IN_TRANSACTION_MODE =
  'a pooler in transaction mode stands before the database: give it session mode, or name the database itself';
/** In a single round, a pooler could by chance give each connection the same server connection again. */
const POOLER_ROUNDS = 5;

/**
 * Finds a pooler that runs the statements of one connection on several server connections, or lets several share one. Settings,
 * LISTEN and prepared statements would then belong to another connection. Two connections at once show it.
 */
export async function poolerFinding({ options }: PooledDatabase): Promise<Finding> {
  const clients = [await connect(options)];
  try {
    clients.push(await connect(options));
    for (let round = 0; round < POOLER_ROUNDS; round += 1) {
      const set = clients.map((client, index) =>
        client.query("select set_config('carillon.connection', $1, false)", [`${round}/${index}`]),
      );
      await Promise.all(set);
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
export async function databaseFinding(database: PooledDatabase): Promise<Finding> {
  if (!database.isInitialized) return 'no connection to the database yet: it is tried again and again';
  return (
    (await serverFinding(database)) ??
    (await migrationFinding(database)) ??
    (await durabilityFinding(database))
  );
}
