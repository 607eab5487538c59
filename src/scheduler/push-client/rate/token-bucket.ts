// The tokens of a project's shared rate that this process holds: taken ahead of the calls, and good for only a second, because
// what one replica hoards the others lack.
import type { Sql } from '../../../platform/database/database.js';
import type { Log } from '../../../platform/logging/log.js';
import { takeTokens, type TokenGrant, type TokenUse, type TokenWish } from './pace.store.js';

type Grant = Pick<TokenGrant, 'serviceId' | 'granted' | 'waitMs'>;

/** Real milliseconds. */
const GOOD_FOR_MS = 1_000;
/** If the rate could not be read, tokens are asked for again after this, real milliseconds. */
const AFTER_FAULT_MS = 250;

/** Asks for tokens of many projects with one statement. Never rejects: if the rate cannot be read, none are granted. */
export async function fetchTokens(
  wishes: readonly TokenWish[],
  use: TokenUse,
  { sql, log }: { readonly sql: Sql; readonly log: Log },
): Promise<Grant[]> {
  try {
    return await takeTokens(sql, wishes, use);
  } catch (error) {
    log.warn({ err: error }, 'the rate could not be read; calls wait for it');
    return wishes.map(({ serviceId }) => ({ serviceId, granted: 0, waitMs: AFTER_FAULT_MS }));
  }
}

export class TokenBucket {
  #tokens = 0;
  #goodUntil = 0;
  /** The last request found no token left: none is worth making before this. */
  #askAgainAt = 0;

  add({ granted, waitMs }: Omit<Grant, 'serviceId'>, elapsed: number): void {
    this.#tokens = this.left(elapsed) + granted;
    this.#goodUntil = elapsed + GOOD_FOR_MS;
    this.#askAgainAt = granted > 0 ? 0 : elapsed + waitMs;
  }

  left(elapsed: number): number {
    return elapsed < this.#goodUntil ? this.#tokens : 0;
  }

  /** Takes a token; false if there is none. */
  take(elapsed: number): boolean {
    if (this.left(elapsed) < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Puts back the token of a call that was not made. */
  putBack(): void {
    this.#tokens += 1;
  }

  /** Whether some tokens were not used in time. */
  hasWasted(elapsed: number): boolean {
    return this.#tokens > this.left(elapsed);
  }

  /** Real milliseconds until asking makes sense. */
  askAgainIn(elapsed: number): number {
    return Math.max(0, this.#askAgainAt - elapsed);
  }

  /** Whether nothing is lost by forgetting this bucket. */
  isOver(elapsed: number): boolean {
    return elapsed >= this.#goodUntil && elapsed >= this.#askAgainAt;
  }
}
