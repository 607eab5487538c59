// The tokens of one project's shared rate that this process holds for one kind of call, and the callers that wait for one.
// Tokens are taken ahead of the calls, and are good for only a second, because what one replica hoards the others lack.
import type { TokenGrant } from './pace.store.js';

interface Waiter {
  readonly until: number;
  readonly settle: (had: boolean) => void;
  /** The database was asked for its token, so it had its chance. */
  asked?: boolean;
}

/** Real milliseconds. */
const GOOD_FOR_MS = 1_000;
/** Where no token was left and callers wait, none is asked for again before this, real milliseconds. */
const ASK_AGAIN_MS = 100;
const MOST_AHEAD = 500;

export class TokenBucket {
  #tokens = 0;
  #goodUntil = 0;
  /** The last request found no token left: none is worth making before this. */
  #askAgainAt = 0;
  /** In order. */
  #waiting: Waiter[] = [];
  /** Tokens asked for beyond those that wait: doubles while grants are used up, so that a fast project costs few statements. */
  #ahead = 0;

  constructor(readonly serviceId: string) {}

  left(elapsed: number): number {
    return elapsed < this.#goodUntil ? this.#tokens : 0;
  }

  /** Takes a token; false if there is none, or others wait for one. */
  take(elapsed: number): boolean {
    if (this.isWaitedFor || this.left(elapsed) < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Puts back the token of a call that was not made. */
  putBack(): void {
    this.#tokens += 1;
  }

  /** Waits for a token until then, on the real clock. */
  wait(until: number): Promise<boolean> {
    return new Promise((settle) => this.#waiting.push({ until, settle }));
  }

  get isWaitedFor(): boolean {
    return this.#waiting.length > 0;
  }

  /** The tokens to ask for now, for those that wait and those that come soon. */
  ask(): number {
    for (const waiter of this.#waiting) waiter.asked = true;
    return this.#waiting.length + this.#ahead;
  }

  /** Real milliseconds until asking makes sense. */
  askAgainIn(elapsed: number): number {
    return Math.max(0, this.#askAgainAt - elapsed);
  }

  /** Real milliseconds until something may happen for those that wait. */
  wakeIn(elapsed: number): number {
    return Math.min(this.askAgainIn(elapsed), (this.#waiting[0]?.until ?? Infinity) - elapsed);
  }

  add({ granted, waitMs }: Pick<TokenGrant, 'granted' | 'waitMs'>, elapsed: number): void {
    // Some were not used in time: that was too many.
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

  /** Tells those that have waited long enough; Infinity: all. */
  expire(elapsed: number): void {
    const hadItsChance = this.askAgainIn(elapsed) > 0 || elapsed === Infinity;
    const isOver = ({ until, asked }: Waiter): boolean =>
      until <= elapsed && (asked === true || hadItsChance);
    const over = this.#waiting.filter(isOver);
    this.#waiting = this.#waiting.filter((waiter) => !isOver(waiter));
    for (const { settle } of over) settle(false);
  }
}
