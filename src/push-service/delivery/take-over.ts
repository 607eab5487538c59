// Chunks whose claims were lost, made ready for others. A database that was away ends every lease at once, while those who
// claimed still hold the answers of providers: for a lease's length after it came back, nothing is taken for lost.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { databaseFault } from '../gateway/database-fault.js';
import { retryingDeadlocks } from '../gateway/retry-deadlocks.js';
import type { Frontier } from './chunk.store.js';
import { databaseTime, takeOver, type TakenOver } from './outcome.store.js';

export interface TakeOverOptions {
  readonly sql: Sql;
  readonly clock: Pick<Clock, 'now' | 'elapsed'>;
  readonly leaseMs: number;
  /** Claims that this process still holds. */
  readonly held: () => readonly Frontier[];
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
    // Judged by the time read before: a statement that is held up on its way finds no lease ended by that.
    return this.#watching(() =>
      retryingDeadlocks(() => takeOver(sql, new Date(clock.now()), { asOf, but: held() })),
    );
  }

  /** A database that answers after a good part of a lease was away as well. */
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
