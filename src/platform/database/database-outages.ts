// The one place in a process that knows whether its database is away or short of a resource. Whoever gets an error asks here
// whether to log it. It checks with a connection of its own, because a pool may be full or may have connections that were cut.
import type { Clock } from '../clock.js';
import { isDatabaseAway } from './database-away.js';
import { shortageOf, type Shortage } from './database-shortage.js';
import { errorCode } from '../logging/error-code.js';
import { databasePlace, type Secret } from '../env.js';
import type { Finding } from '../http/health.js';
import type { Log } from '../logging/log.js';
import { Outage } from '../outage.js';
import { bareClient } from './pooled-database.js';

export interface DatabaseOutagesOptions {
  readonly url: Secret;
  readonly applicationName: string;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Log;
  /**
   * A shortage is over once nobody has met it for so long, real milliseconds [10 000]. A failed round waits at most half of it.
   */
  readonly quietMs?: number;
}

const EVERY_MS = 200;
/** How long a probe may take, real milliseconds. Short, because the caller waits for it. */
const PROBE_MS = 2_000;
const QUIET_MS = 10_000;
/** While the database answers, these mean that a statement or transaction took too long, or that a pool is too small. */
const SLOW = /^(Query read timeout|timeout exceeded when trying to connect)/i;
const SLOW_STATE = /^25P0/;

export class DatabaseOutages {
  readonly #away: Outage;
  readonly #short: Outage;
  readonly #judged = new WeakMap<object, Promise<boolean>>();
  #shortage: Shortage | undefined;
  #shortAt = -Infinity;

  constructor(private readonly options: DatabaseOutagesOptions) {
    const { clock, log } = options;
    const place = databasePlace(options.url.reveal());
    const meanwhile = 'requests are answered 503, work waits and loses nothing; it is tried until it is back';
    this.#away = new Outage({
      name: 'database',
      probe: () => this.#probe(),
      probes: 2,
      everyMs: EVERY_MS,
      away: (reason) => `the database is away (${reason}; DATABASE_URL leads to ${place}): ${meanwhile}`,
      back: 'the database is back',
      clock,
      log,
    });
    this.#short = new Outage({
      name: 'database shortage',
      probe: () => this.#probeForShortage(),
      probes: 1,
      everyMs: EVERY_MS,
      away: (reason) => `${reason}; until then what cannot be written is answered 503, or waits`,
      back: 'the shortage of the database is over',
      clock,
      log,
    });
  }

  /** Whether the error needs no log line of its own, because the outage is logged; undefined where it is no outage. */
  judge(error: unknown): Promise<boolean> | undefined {
    if (!(error instanceof Error) || !isDatabaseAway(error)) return undefined;
    // An error counts once, even if several callers see it.
    let judged = this.#judged.get(error);
    if (judged === undefined) this.#judged.set(error, (judged = this.#met(error)));
    return judged;
  }

  /** What the database is short of, and what to do. */
  finding(): Finding {
    return this.#short.isAway ? this.#shortage?.text : undefined;
  }

  stop(): void {
    this.#away.stop();
    this.#short.stop();
  }

  async #met(error: Error): Promise<boolean> {
    const shortage = shortageOf(error);
    if (shortage === undefined) return (await this.#away.met()) || !isSlow(error);
    this.#shortage = shortage;
    this.#shortAt = this.options.clock.elapsed();
    return this.#short.met();
  }

  async #probe(): Promise<void> {
    const { url, applicationName } = this.options;
    const client = bareClient(url, applicationName, PROBE_MS);
    try {
      await client.connect();
      await client.query('select 1');
    } finally {
      client.end().catch(() => undefined);
    }
  }

  /** Only the work itself shows whether the shortage is over. While the database is away, nothing shows it. */
  async #probeForShortage(): Promise<void> {
    const { clock, quietMs = QUIET_MS } = this.options;
    if (this.#away.isAway || clock.elapsed() - this.#shortAt < quietMs)
      throw new Error(this.#shortage?.text ?? '');
  }
}

function isSlow(error: Error): boolean {
  return SLOW.test(error.message) || SLOW_STATE.test(errorCode(error));
}
