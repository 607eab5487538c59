// Turns of a project's shared rate, one call each, for what is not a due send: polls, cancels, safe repeats. Tokens are taken
// several at a time and for all projects at once; callers that wait are served in order. Calls nobody.
import type { Clock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import type { Log } from '../../../platform/logging/log.js';
import type { TokenGrant, TokenUse } from './pace.store.js';
import { fetchTokens, TokenBucket } from './token-bucket.js';

interface SharedRateParts {
  readonly sql: Sql;
  readonly clock: Clock;
  readonly log: Log;
  /** The share of the rate that its calls have. */
  readonly use: TokenUse;
}

interface Waiter {
  /** On the real clock. */
  readonly until: number;
  readonly settle: (had: boolean) => void;
  /** The database was asked for its token, so it had its chance. */
  asked: boolean;
}

/** Where no token was left, none is asked for again before this, real milliseconds. */
const ASK_AGAIN_MS = 100;
const MOST_AHEAD = 500;
/** After a grant of this many, the next tokens are asked for before these are used up. */
const WORTH_FETCHING_AHEAD = 32;

export class SharedRate {
  readonly #buckets = new Map<string, Bucket>();
  #asking = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly parts: SharedRateParts) {}

  /**
   * Whether a call may be made now: true at once if a token is here, false if none came within `waitMs` real milliseconds; with
   * 0, if none is there.
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

  /** Callers that wait are told no. */
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
    // Tokens for all that begin to wait in this turn of the event loop are asked for together.
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

/** The tokens of one project here, and the callers that wait for one. */
class Bucket {
  readonly tokens = new TokenBucket();
  waiting: Waiter[] = [];
  /** Tokens asked for beyond those that wait: doubles while grants are used up, so that a fast project costs few statements. */
  #ahead = 0;
  #lastGranted = 0;

  get wanted(): number {
    return this.waiting.length + this.#ahead;
  }

  /** Real milliseconds until something may happen for those that wait. */
  wakeIn(elapsed: number): number {
    return Math.min(this.tokens.askAgainIn(elapsed), (this.waiting[0]?.until ?? Infinity) - elapsed);
  }

  /** Whether its last grant was large and will soon be used up, and more may be had. */
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
    // Some were not used in time: that was too many.
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
