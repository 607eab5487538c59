// What the schedulers' backends wait for, looked at every so many milliseconds: pg_stat_activity has no history of it.
import { Client } from 'pg';

/** Between two looks, milliseconds. */
const EVERY_MS = 20;
/** Waiting for others; what a backend waits for of the disk or of its client is no lock. */
const LOCKS = ['Lock', 'LWLock'];

export interface Waits {
  readonly looks: number;
  /** Backends seen waiting, summed over all looks, by wait_event_type and wait_event; of rows and tables also the statement. */
  readonly seen: ReadonlyMap<string, number>;
}

export class LockWaits {
  readonly #seen = new Map<string, number>();
  #looks = 0;
  #isEnding = false;
  #ended: Promise<void> = Promise.resolve();

  private constructor(private readonly client: Client) {}

  /** Watches every backend of that database except the bench's own. */
  static async begin(databaseUrl: string): Promise<LockWaits> {
    const client = new Client({ connectionString: databaseUrl, application_name: 'bench' });
    await client.connect();
    const waits = new LockWaits(client);
    waits.#ended = waits.#goOn();
    // Asked for in `end`; a look that fails before is not to end the process.
    waits.#ended.catch(() => undefined);
    return waits;
  }

  async end(): Promise<Waits> {
    this.#isEnding = true;
    try {
      await this.#ended;
    } finally {
      await this.client.end();
    }
    return { looks: this.#looks, seen: this.#seen };
  }

  async #goOn(): Promise<void> {
    let next = performance.now();
    while (!this.#isEnding) {
      const { rows } = await this.client.query<{ what: string; backends: number }>(
        `select format('%s/%s', wait_event_type, wait_event)
                || case wait_event_type when 'Lock' then format(' (%s)', left(regexp_replace(query, '\\s+', ' ', 'g'), 60)) else '' end
                as what, count(*)::int as backends from pg_stat_activity
          where datname = current_database() and application_name <> 'bench' and wait_event_type = any($1) group by 1`,
        [LOCKS],
      );
      this.#looks += 1;
      for (const { what, backends } of rows) this.#seen.set(what, (this.#seen.get(what) ?? 0) + backends);
      next = Math.max(next + EVERY_MS, performance.now());
      await new Promise((resolve) => setTimeout(resolve, next - performance.now()));
    }
  }
}
