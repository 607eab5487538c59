// Ends what is held past its time: sends, page by page, and recurrences of which nothing is to come any more. Each page is a
// transaction of its own; a page of a process that dies is left to the next process.
import type { Clock } from '../../../platform/clock.js';
import type { Database } from '../../../platform/database/database.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { hasEnded } from '../../decide/recurrence/occurrences.js';
import { expireHeld, heldRecurrences, planNoMore } from '../../store/send/expire-held.store.js';

/** Sends of one page, as of an act. */
const PAGE = 500;
/** Recurrences of one round; the next round goes on behind them. */
const RECURRENCES = 100;
const FIRST = '00000000-0000-0000-0000-000000000000';

interface ExpireHeldDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  readonly page?: number | undefined;
}

export class ExpireHeld {
  /** Up to where the recurrences were read. */
  #after = FIRST;

  constructor(private readonly deps: ExpireHeldDeps) {}

  /** Returns how many sends ended. */
  async runOnce(): Promise<number> {
    const { database, clock, page = PAGE } = this.deps;
    const ended = await database.transaction((sql) => expireHeld(sql, clock.now(), page));
    await this.#endRecurrences();
    return ended;
  }

  async #endRecurrences(): Promise<void> {
    const { database, clock, rules } = this.deps;
    const held = await heldRecurrences(database, this.#after, RECURRENCES);
    this.#after = held.length < RECURRENCES ? FIRST : (held.at(-1)?.id ?? FIRST);
    const now = clock.now();
    const over = held.filter((one) => hasEnded(one, { now, rules }));
    await planNoMore(
      database,
      over.map(({ id }) => id),
    );
  }
}
