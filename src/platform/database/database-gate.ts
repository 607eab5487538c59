// Holds all work back until the database is there and migrated, however long that takes; then starts the loops, once.
// A database that goes away later is the loops' own affair: their rounds fail and are tried again.
import { databaseFinding, migrationFinding, missingMigrations } from './database-state.js';
import { versionFinding } from './database.js';
import type { DatabaseOutages } from './database-outages.js';
import type { Finding } from '../http/health.js';
import type { Log } from '../log.js';
import type { Loops } from '../loops.js';
import type { PooledDatabase } from './pooled-database.js';
import { RunLoop } from '../run-loop.js';

export class DatabaseGate {
  readonly #loop: RunLoop;

  constructor(
    private readonly dataSource: PooledDatabase,
    private readonly loops: Loops,
    private readonly outages: Pick<DatabaseOutages, 'finding'>,
    log: Log,
  ) {
    // A round that succeeds is the last: the rest after it only has to be long.
    this.#loop = new RunLoop({ name: 'database', runOnce: () => this.runOnce(), idleMs: 86_400_000, log });
  }

  /** Connects, checks, starts. Throws what stands in the way. */
  async runOnce(): Promise<number> {
    if (!this.dataSource.isInitialized) await this.dataSource.initialize();
    const finding =
      (await versionFinding(this.dataSource)) ?? migrationFinding(await missingMigrations(this.dataSource));
    if (finding !== undefined) throw new Error(finding);
    this.loops.start();
    return 0;
  }

  start(): void {
    this.#loop.start();
  }

  stop(): Promise<void> {
    return this.#loop.stop();
  }

  async finding(): Promise<Finding> {
    return this.outages.finding() ?? databaseFinding(this.dataSource);
  }

  /** Ends every connection; the last step of a drain. */
  async close(): Promise<void> {
    if (this.dataSource.isInitialized) await this.dataSource.destroy();
  }
}
