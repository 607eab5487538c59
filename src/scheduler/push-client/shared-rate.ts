// One call at a time of a project's shared rate, for what is not a due send: looks, cancels, safe repeats. Tokens are
// taken in helpings for all projects at once; who waits is served in order. Never calls anybody.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import type { Log } from '../../platform/log.js';
import { fetchTokens } from './fetch-tokens.js';
import type { TokenGrant, TokenUse } from './pace.store.js';
import { TokenBucket } from './token-bucket.js';

export interface SharedRateParts {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  /** Whose share of the rate its calls have. */
  readonly use: TokenUse;
}

interface Waiter {
  /** On the real clock. */
  readonly until: number;
  readonly settle: (had: boolean) => void;
  /** The database was asked for it, so it had its chance. */
  asked: boolean;
}

/** Where nothing was left, no sooner is asked again, real milliseconds. */
const ASK_AGAIN_MS = 100;
const MOST_AHEAD = 500;
/** A helping of so many is followed by the next before it is used up. */
const WORTH_FETCHING_AHEAD = 32;

export class SharedRate {
  readonly #buckets = new Map<string, Bucket>();
  #asking = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: SharedRateParts) {}

  /**
   * Whether a call may be made now, true at once where a token is there: false where none came free within `waitMs` real
   * milliseconds; 0: where none is there.
   */
  take(serviceId: string, waitMs: number): true | Promise<boolean> {
    const elapsed = this.parts.clock.elapsed();
    const bucket = this.#bucketOf(serviceId);
    if (bucket.takeOne(elapsed)) {
      if (!this.#asking && bucket.isLow(elapsed)) this.#arm(0);
      return true;
    }
    return new Promise<boolean>((settle) => {
      bucket.waiting.push({ until: elapsed + waitMs, settle, asked: false });
      this.#arm(0);
    });
  }

  /** Whoever waits is told no. */
  stop(): void {
    clearTimeout(this.#timer);
    for (const bucket of this.#buckets.values()) bucket.expire(Infinity);
    this.#buckets.clear();
  }

  #bucketOf(serviceId: string): Bucket {
    let bucket = this.#buckets.get(serviceId);
    if (bucket === undefined) this.#buckets.set(serviceId, (bucket = new Bucket()));
    return bucket;
  }

  #arm(ms: number): void {
    clearTimeout(this.#timer);
    // What begins to wait in this turn of the event loop is asked for together.
    this.#timer = setTimeout(() => this.#ask(), ms);
  }

  #ask(): void {
    if (this.#asking) return;
    const elapsed = this.parts.clock.elapsed();
    for (const [serviceId, bucket] of this.#buckets) {
      bucket.expire(elapsed);
      if (bucket.isIdle(elapsed)) this.#buckets.delete(serviceId);
    }
    const waiting = [...this.#buckets].filter(
      ([, bucket]) => bucket.waiting.length > 0 || bucket.isLow(elapsed),
    );
    if (waiting.length === 0) return;
    const ready = waiting.filter(([, bucket]) => bucket.tokens.askAgainIn(elapsed) === 0);
    if (ready.length === 0) {
      this.#arm(Math.max(1, Math.min(...waiting.map(([, bucket]) => bucket.wakeIn(elapsed)))));
      return;
    }
    this.#asking = true;
    void this.#fetch(ready).finally(() => {
      this.#asking = false;
      this.#arm(0);
    });
  }

  /** Never rejects. */
  async #fetch(ready: readonly (readonly [serviceId: string, bucket: Bucket])[]): Promise<void> {
    const { sql, clock, log, use } = this.parts;
    const wishes = ready.map(([serviceId, bucket]) => ({ serviceId, wanted: bucket.wanted }));
    for (const [, bucket] of ready) for (const waiter of bucket.waiting) waiter.asked = true;
    const grants = await fetchTokens(wishes, use, { sql, log });
    const elapsed = clock.elapsed();
    const found = new Map(grants.map((grant) => [grant.serviceId, grant]));
    for (const [serviceId, bucket] of ready)
      bucket.add(found.get(serviceId) ?? { granted: 0, waitMs: ASK_AGAIN_MS }, elapsed);
  }
}

/** One project's tokens here, and who waits for one. */
class Bucket {
  readonly tokens = new TokenBucket();
  waiting: Waiter[] = [];
  /** Taken ahead of those that wait: doubles while helpings are used up, so that a fast project costs few statements. */
  #ahead = 0;
  #lastGranted = 0;

  get wanted(): number {
    return this.waiting.length + this.#ahead;
  }

  /** Real milliseconds until something may happen for those that wait. */
  wakeIn(elapsed: number): number {
    return Math.min(this.tokens.askAgainIn(elapsed), (this.waiting[0]?.until ?? Infinity) - elapsed);
  }

  /** Whether its tokens, which were many, will soon be used up; there may be more. */
  isLow(elapsed: number): boolean {
    if (this.#lastGranted < WORTH_FETCHING_AHEAD || this.#ahead === 0) return false;
    if (this.tokens.isOver(elapsed) || this.tokens.askAgainIn(elapsed) > 0) return false;
    return this.tokens.left(elapsed) <= this.#lastGranted / 2;
  }

  isIdle(elapsed: number): boolean {
    return this.waiting.length === 0 && this.tokens.isOver(elapsed);
  }

  takeOne(elapsed: number): boolean {
    return this.waiting.length === 0 && this.tokens.take(elapsed);
  }

  add({ granted, waitMs }: Pick<TokenGrant, 'granted' | 'waitMs'>, elapsed: number): void {
    // Unused in time: as many were too many.
    this.#ahead = this.tokens.hasWasted(elapsed)
      ? Math.floor(this.#ahead / 2)
      : Math.min(2 * Math.max(this.waiting.length, this.#ahead), MOST_AHEAD);
    this.#lastGranted = granted;
    this.tokens.add({ granted, waitMs: Math.max(waitMs, ASK_AGAIN_MS) }, elapsed);
    while (this.waiting.length > 0 && this.tokens.take(elapsed)) this.waiting.shift()?.settle(true);
  }

  expire(elapsed: number): void {
    const hadItsChance = this.tokens.askAgainIn(elapsed) > 0 || elapsed === Infinity;
    const isOver = ({ until, asked }: Waiter): boolean => until <= elapsed && (asked || hadItsChance);
    const over = this.waiting.filter(isOver);
    if (over.length === 0) return;
    this.waiting = this.waiting.filter((waiter) => !isOver(waiter));
    for (const { settle } of over) settle(false);
  }
}
