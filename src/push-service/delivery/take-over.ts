// Makes chunks whose claims were lost READY again. While the database is away every lease runs out, although processes still hold
// providers' answers. So for the length of a lease after it is back, no claim counts as lost.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { databaseFault } from '../gateway/database-fault.js';
import type { ChunkClaim } from './chunk.store.js';
import { databaseTime, takeOver, type TakenOver } from './outcome.store.js';

export interface TakeOverOptions {
  readonly sql: Sql;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly leaseMs: number;
  /** Claims that this process still holds. */
  readonly held: () => readonly ChunkClaim[];
}

const NONE: TakenOver = { chunks: 0, unknown: 0 };

export class TakeOver {
  #wasAway = false;
  /** Clock.elapsed(). */
  #waitsUntil = -Infinity;

  constructor(private readonly options: TakeOverOptions) {}

  async runOnce(): Promise<TakenOver> {
    const { sql, clock, leaseMs, held } = this.options;
    const asOf = await this.#watching(() => databaseTime(sql));
    if (this.#wasAway) this.#waitsUntil = clock.elapsed() + leaseMs;
    this.#wasAway = false;
    if (clock.elapsed() < this.#waitsUntil) return NONE;
    // Goes by the time that was read before, so that a statement that is held up does not find leases ended by that delay.
    return this.#watching(() => takeOver(sql, new Date(clock.now()), { asOf, but: held() }));
  }

  /** A database that takes a third of a lease to answer counts as away too. */
  async #watching<T>(ask: () => Promise<T>): Promise<T> {
    const { clock, leaseMs } = this.options;
    const began = clock.elapsed();
    try {
      const answer = await ask();
      if (clock.elapsed() - began > leaseMs / 3) this.#wasAway = true;
      return answer;
    } catch (error) {
      if (databaseFault(error) !== undefined) this.#wasAway = true;
      throw error;
    }
  }
}
