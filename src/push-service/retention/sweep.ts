// Ends what is old: outcome rows become counts, final messages go where the operator set a time for them, and so does what
// is left of removed services. A round does a little and returns; of a service that is there, a message that is not final
// is never touched.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { sweepRemoved } from '../management/remove-service.js';
import { lockUnswept, markSwept, OUTCOMES, removeMessages, sumUpOutcomes } from './retention.store.js';

export interface SweepOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** How long outcome rows are kept after their firing was complete. */
  readonly outcomeDays: number;
  /** How long messages are kept after they were final; 0: for ever. */
  readonly messageDays: number;
}

const DAY_MS = 86_400_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

export class Sweep {
  /** How far the walk through the messages has come. */
  #afterId = FIRST_ID;

  constructor(private readonly options: SweepOptions) {}

  /** One bounded step; returns how much there was of it. 0: nothing is old, until time has gone on. */
  async runOnce(): Promise<number> {
    const { database, clock } = this.options;
    return (
      (await this.#sumUp()) ||
      (await this.#removeMessages()) ||
      ((await sweepRemoved(database, clock.now())) ? 1 : 0)
    );
  }

  async #sumUp(): Promise<number> {
    const { database, clock, outcomeDays } = this.options;
    const before = new Date(clock.now() - outcomeDays * DAY_MS);
    return database.transaction(async (sql) => {
      const firings = await lockUnswept(sql, before);
      if (firings.length === 0) return 0;
      const gone = await sumUpOutcomes(sql, firings);
      // Fewer than it may take: those were the last.
      if (gone < OUTCOMES) await markSwept(sql, firings);
      return firings.length;
    });
  }

  async #removeMessages(): Promise<number> {
    const { database, clock, messageDays } = this.options;
    if (messageDays === 0) return 0;
    const before = Math.max(clock.now() - messageDays * DAY_MS, 0);
    // What was final by then was taken by then.
    const takenBefore = v7({ msecs: before, random: new Uint8Array(16), seq: 0 });
    const page = await removeMessages(database, this.#afterId, takenBefore, new Date(before));
    this.#afterId = page.lastId ?? FIRST_ID;
    return page.looked;
  }
}
