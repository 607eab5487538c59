// Holds all work back until the database is reachable and ready, however long that takes. Then it starts the loops, once. When
// the database goes away later, the loops handle that themselves: their rounds fail and are tried again.
import { messageOf } from '../logging/error-code.js';
import { databaseFinding, migrationFinding, poolerFinding } from './database-state.js';
import { serverFinding } from './database.js';
import type { DatabaseOutages } from './database-outages.js';
import type { Finding } from '../http/health.js';
import type { Log } from '../logging/log.js';
import type { Loops } from '../loops/loops.js';
import type { PooledDatabase } from './pooled-database.js';
import { RunLoop } from '../loops/run-loop.js';

export interface DatabaseGateDeps {
  readonly database: PooledDatabase;
  readonly loops: Loops;
  readonly outages: Pick<DatabaseOutages, 'finding'>;
  readonly log: Log;
  /** Throws what is in the way [checkMigrated]. */
  readonly prepare?: (database: PooledDatabase) => Promise<unknown>;
}

export class DatabaseGate {
  readonly #loop: RunLoop;
  /** Why work cannot start although the database is connected. */
  #obstacle: string | undefined = 'the database is not prepared yet';

  constructor(private readonly deps: DatabaseGateDeps) {
    // The first round that succeeds is the last, so the rest after it only has to be long.
    const runOnce = (): Promise<number> => this.runOnce();
    this.#loop = new RunLoop({ name: 'database', runOnce, idleMs: 86_400_000, log: deps.log });
  }

  /** Connects, prepares, and starts the loops. Throws what is in the way. */
  async runOnce(): Promise<number> {
    const { database, loops, prepare = checkMigrated } = this.deps;
    if (!database.isInitialized) await database.initialize();
    try {
      await prepare(database);
      this.#obstacle = undefined;
    } catch (error) {
      this.#obstacle = messageOf(error);
      throw error;
    }
    loops.start();
    return 0;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async finding(): Promise<Finding> {
    const { database, outages } = this.deps;
    const obstacle = database.isInitialized ? this.#obstacle : undefined;
    return outages.finding() ?? obstacle ?? databaseFinding(database);
  }

  /** Ends every connection. It is the last step of a drain. */
  async close(): Promise<void> {
    if (this.deps.database.isInitialized) await this.deps.database.destroy();
  }
}

/** Throws where the database is too old, its pooler is in the wrong mode, or migrations are missing. */
export async function checkMigrated(database: PooledDatabase): Promise<void> {
  const finding =
    (await serverFinding(database)) ?? (await poolerFinding(database)) ?? (await migrationFinding(database));
  if (finding !== undefined) throw new Error(finding);
}
