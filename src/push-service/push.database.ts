// The push service's database: its own schema, its own migrations. Connects when the database is there, however long
// that takes, brings the schema up to date, and only then lets the loops start. Holds no queries.
import { pushServiceMigrations } from '../../migrations/push-service/index.js';
import { createDataSource, rowsOf, versionFinding } from '../platform/database/database.js';
import type { DatabaseOutages } from '../platform/database/database-outages.js';
import type { Secret } from '../platform/env.js';
import type { Finding } from '../platform/http/health.js';
import type { Log } from '../platform/log.js';
import type { Loops } from '../platform/loops.js';
import { migrate } from '../platform/database/migrate-database.js';
import type { DatabaseOptions, PooledDatabase } from '../platform/database/pooled-database.js';
import { RunLoop } from '../platform/run-loop.js';

export const PUSH_SCHEMA = 'push';

export function pushDataSource(
  url: Secret,
  poolSize: number,
  of: Pick<DatabaseOptions, 'applicationName' | 'limits'> = { applicationName: 'carillon push service' },
  onFault: (error: unknown) => void = () => undefined,
): PooledDatabase {
  return createDataSource({
    url: url.reveal(),
    schema: PUSH_SCHEMA,
    migrations: pushServiceMigrations,
    poolSize,
    ...of,
    onFault,
  });
}

export class PushDatabase {
  readonly #loop: RunLoop;
  #ready = false;

  constructor(
    /** Connections of requests, and the loops' own. */
    private readonly pools: { readonly requests: PooledDatabase; readonly delivery: PooledDatabase },
    private readonly loops: Loops,
    private readonly outages: Pick<DatabaseOutages, 'finding'>,
    log: Log,
  ) {
    // A round that succeeds is the last: the rest after it only has to be long.
    this.#loop = new RunLoop({ name: 'database', runOnce: () => this.#connect(), idleMs: 86_400_000, log });
  }

  /** Returns once connected and migrated, or once the first try has failed; then it is tried again and again. */
  async start(): Promise<void> {
    await this.#connect().catch(() => this.#loop.start());
  }

  async finding(): Promise<Finding> {
    if (!this.#ready) {
      const tooOld = this.pools.requests.isInitialized
        ? await versionFinding(this.pools.requests)
        : undefined;
      return tooOld ?? 'no connection to the database yet; it is tried again and again';
    }
    await rowsOf(this.pools.requests, 'select 1');
    return this.outages.finding();
  }

  async close(): Promise<void> {
    await this.#loop.stop();
    await Promise.all([this.pools.requests.destroy(), this.pools.delivery.destroy()]);
  }

  async #connect(): Promise<number> {
    if (!this.pools.requests.isInitialized) await this.pools.requests.initialize();
    // While another replica migrates this one goes on, says so, and tries again.
    await migrate(this.pools.requests, { waiting: (words) => fail(words) });
    this.#ready = true;
    this.loops.start();
    return 0;
  }
}

function fail(words: string): never {
  throw new Error(words);
}
