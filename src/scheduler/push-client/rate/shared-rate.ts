// Takes tokens of the projects' shared rates for one kind of call: several tokens at a time, for all projects in one statement.
// Calls nobody.
import type { Clock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import type { Log } from '../../../platform/logging/log.js';
import { takeTokens, type TokenGrant, type TokenUse } from './pace.store.js';
import type { TokenBucket } from './token-bucket.js';

interface SharedRateDeps {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
}

type Wish = readonly [bucket: TokenBucket, wanted: number];

/** If the database failed, tokens are asked for again after this, real milliseconds. */
const AFTER_FAULT_MS = 250;

export class SharedRate {
  readonly #waitedFor = new Set<TokenBucket>();
  #asking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly deps: SharedRateDeps,
    /** The share of the rate that its calls have. */
    private readonly use: TokenUse,
  ) {}

  /**
   * Waits for a token; true: a call may be made now. False: none came within `waitMs` real milliseconds. Callers that wait are
   * served in order.
   */
  async take(bucket: TokenBucket, waitMs: number): Promise<boolean> {
    const elapsed = this.deps.clock.elapsed();
    if (bucket.take(elapsed)) return true;
    this.#waitedFor.add(bucket);
    // Tokens for all that begin to wait in this turn of the event loop are asked for together.
    if (this.#asking === undefined) this.#arm(0);
    return bucket.wait(elapsed + waitMs);
  }

  /** Asks at once for tokens that nobody waits for yet, unless a statement already runs. `then` is called when they are here. */
  askAhead(wishesNow: () => readonly Wish[], then: () => void): void {
    if (this.#asking !== undefined) return;
    const wishes = wishesNow().filter(([, wanted]) => wanted > 0);
    if (wishes.length > 0) void this.#fetch(wishes).then(then);
  }

  /** Answers all callers that wait with false. Resolves when no statement runs. */
  async stop(): Promise<void> {
    clearTimeout(this.#timer);
    for (const bucket of this.#waitedFor) bucket.expire(Infinity);
    this.#waitedFor.clear();
    await this.#asking;
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#ask(), ms);
  }

  #ask(): void {
    if (this.#asking !== undefined) return;
    const elapsed = this.deps.clock.elapsed();
    for (const bucket of this.#waitedFor) {
      bucket.expire(elapsed);
      if (!bucket.isWaitedFor) this.#waitedFor.delete(bucket);
    }
    const buckets = [...this.#waitedFor];
    const ready = buckets.filter((bucket) => bucket.askAgainIn(elapsed) === 0);
    if (ready.length > 0) void this.#fetch(ready.map((bucket) => [bucket, bucket.ask()]));
    else if (buckets.length > 0)
      this.#arm(Math.max(1, Math.min(...buckets.map((bucket) => bucket.wakeIn(elapsed)))));
  }

  #fetch(wishes: readonly Wish[]): Promise<void> {
    this.#asking = this.#grants(wishes).then((grants) => {
      const elapsed = this.deps.clock.elapsed();
      for (const [bucket] of wishes)
        bucket.add(grants.get(bucket.serviceId) ?? { granted: 0, waitMs: AFTER_FAULT_MS }, elapsed);
      this.#asking = undefined;
      this.#arm(0);
    });
    return this.#asking;
  }

  /** One statement. Never rejects: if the database fails, no token is granted. */
  async #grants(wishes: readonly Wish[]): Promise<ReadonlyMap<string, TokenGrant>> {
    const { sql, log } = this.deps;
    const rows = wishes.map(([{ serviceId }, wanted]) => ({ serviceId, wanted }));
    const grants = await takeTokens(sql, rows, this.use).catch((error: unknown) => {
      log.warn({ err: error }, 'the rate could not be read; calls wait for it');
      return [];
    });
    return new Map(grants.map((grant) => [grant.serviceId, grant]));
  }
}
