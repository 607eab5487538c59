// The tokens this process holds of a project's shared rate: taken ahead of the calls, good for a second, for what one
// replica hoards the others lack.
import type { TokenGrant } from './pace.store.js';

/** Real milliseconds. */
const GOOD_FOR_MS = 1_000;

export class TokenBucket {
  #tokens = 0;
  #goodUntil = 0;
  /** Nothing was left at the last asking; not before then. */
  #askAgainAt = 0;

  add({ granted, waitMs }: Pick<TokenGrant, 'granted' | 'waitMs'>, elapsed: number): void {
    this.#tokens = this.left(elapsed) + granted;
    this.#goodUntil = elapsed + GOOD_FOR_MS;
    this.#askAgainAt = granted > 0 ? 0 : elapsed + waitMs;
  }

  left(elapsed: number): number {
    return elapsed < this.#goodUntil ? this.#tokens : 0;
  }

  /** Whether there was one. */
  take(elapsed: number): boolean {
    if (this.left(elapsed) < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** The call was not made. */
  putBack(): void {
    this.#tokens += 1;
  }

  /** Some were not used in time. */
  hasWasted(elapsed: number): boolean {
    return this.#tokens > this.left(elapsed);
  }

  /** Real milliseconds until asking makes sense. */
  askAgainIn(elapsed: number): number {
    return Math.max(0, this.#askAgainAt - elapsed);
  }

  /** Whether forgetting it loses nothing. */
  isOver(elapsed: number): boolean {
    return elapsed >= this.#goodUntil && elapsed >= this.#askAgainAt;
  }
}
