// The tokens of one project's shared rate that this process has for one kind of call, and the callers that wait for one. Tokens are
// taken before the calls and are valid for one second only, because the other replicas lack the tokens that one keeps.
import type { TokenGrant } from './pace.store.js';

interface Waiter {
  readonly until: number;
  readonly settle: (had: boolean) => void;
  /** The database was asked for its token. */
  asked?: boolean;
}

/** Tokens are valid for this long, real milliseconds. */
const GOOD_FOR_MS = 1_000;
/** The shortest wait before it asks again, if the database had no token and callers wait, real milliseconds. */
const ASK_AGAIN_MS = 100;
/** The most tokens that are asked for beyond the callers that wait. */
const MOST_AHEAD = 500;

export class TokenBucket {
  #tokens = 0;
  #goodUntil = 0;
  /** The database had no token at the last time: it is not asked before this, elapsed(). */
  #askAgainAt = 0;
  /** In the order of their calls. */
  #waiting: Waiter[] = [];
  /** Tokens asked for beyond the callers that wait. Doubles while all are used, so that a fast project costs few statements. */
  #ahead = 0;

  constructor(readonly serviceId: string) {}

  left(elapsed: number): number {
    return elapsed < this.#goodUntil ? this.#tokens : 0;
  }

  /** Takes a token; false: there is none, or other callers wait for one. */
  take(elapsed: number): boolean {
    if (this.isWaitedFor || this.left(elapsed) < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Puts back the token of a call that was not made. */
  putBack(): void {
    this.#tokens += 1;
  }

  /** Waits for a token until `until`, elapsed(); false: none came. */
  wait(until: number): Promise<boolean> {
    return new Promise((settle) => this.#waiting.push({ until, settle }));
  }

  get isWaitedFor(): boolean {
    return this.#waiting.length > 0;
  }

  /** How many tokens to ask for now: for the callers that wait, and for those to come. */
  ask(): number {
    for (const waiter of this.#waiting) waiter.asked = true;
    return this.#waiting.length + this.#ahead;
  }

  /** Real milliseconds until the database may have a token. */
  askAgainIn(elapsed: number): number {
    return Math.max(0, this.#askAgainAt - elapsed);
  }

  /** Real milliseconds until a caller that waits may get a token, or has waited long enough. */
  wakeIn(elapsed: number): number {
    return Math.min(this.askAgainIn(elapsed), (this.#waiting[0]?.until ?? Infinity) - elapsed);
  }

  add({ granted, waitMs }: Pick<TokenGrant, 'granted' | 'waitMs'>, elapsed: number): void {
    // Fewer than last time where some of those were not used within a second; otherwise more.
    this.#ahead =
      this.#tokens > this.left(elapsed)
        ? Math.floor(this.#ahead / 2)
        : Math.min(2 * Math.max(this.#waiting.length, this.#ahead), MOST_AHEAD);
    this.#tokens = this.left(elapsed) + granted;
    this.#goodUntil = elapsed + GOOD_FOR_MS;
    this.#askAgainAt =
      granted > 0 ? 0 : elapsed + (this.isWaitedFor ? Math.max(waitMs, ASK_AGAIN_MS) : waitMs);
    const served = this.#waiting.splice(0, this.#tokens);
    this.#tokens -= served.length;
    for (const { settle } of served) settle(true);
  }

  /** Answers callers with false that have waited long enough; Infinity: all callers. */
  expire(elapsed: number): void {
    const hasNone = this.askAgainIn(elapsed) > 0 || elapsed === Infinity;
    const isOver = ({ until, asked }: Waiter): boolean => until <= elapsed && (asked === true || hasNone);
    const over = this.#waiting.filter(isOver);
    this.#waiting = this.#waiting.filter((waiter) => !isOver(waiter));
    for (const { settle } of over) settle(false);
  }
}
