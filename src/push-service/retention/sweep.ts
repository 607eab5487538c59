// Removes old rows: whole days of outcomes, final messages, signed requests, devices that are gone, quota use of past days, the
// names of deleted users, and the rest of removed services. A round does one bounded step. While a service exists, its messages
// that are not final are never touched.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { keptSince } from '../../platform/kept.js';
import { alone, detachDay, finishDrops } from '../../platform/database/day-partitions.js';
import { sweepRemoved } from '../management/remove-service.js';
import { ForgetUsers } from './forget-users.js';
import { KEPT } from './kept.js';
import {
  oldDays,
  removeGoneDevices,
  removeMessages,
  removeQuotaDays,
  removeSigned,
} from './retention.store.js';

export interface SweepOptions {
  readonly database: Database;
  readonly clock: Clock;
  /** Whether this machine's clock agrees with the database's. A clock that is a year ahead would remove everything. */
  readonly clockCheck: { findsRight(): Promise<boolean> };
  /** For how many days outcomes are kept after the day of their firing. */
  readonly outcomeDays: number;
  /** For how many days messages are kept after they became final; 0: for ever. */
  readonly messageDays: number;
  /** For how long a signature is valid after it is first seen, milliseconds. */
  readonly signedMs: number;
}

const DAY_MS = 86_400_000;
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Days of outcomes that ended by the returned instant are removed. */
export const outcomesFrom = (now: number, outcomeDays: number): Date => new Date(now - outcomeDays * DAY_MS);

export class Sweep {
  /** The last message that was examined. */
  #afterId = FIRST_ID;

  readonly #forgetting: ForgetUsers;

  constructor(private readonly options: SweepOptions) {
    this.#forgetting = new ForgetUsers(options.database, options.clock);
  }

  /** Does one bounded step. Returns how much it did; 0: nothing is old for now, or the clock is wrong. */
  async runOnce(): Promise<number> {
    const { database, clock, clockCheck } = this.options;
    if (!(await clockCheck.findsRight())) return 0;
    const now = clock.now();
    return (
      (await this.#dropDay()) ||
      (await removeSigned(database, new Date(now - this.options.signedMs))) ||
      (await this.#removeMessages()) ||
      (await this.#forgetting.runOnce()) ||
      (await removeGoneDevices(database, keptSince(KEPT, 'device', now))) ||
      (await removeQuotaDays(database, keptSince(KEPT, 'quota_use', now))) ||
      ((await sweepRemoved(database, now)) ? 1 : 0)
    );
  }

  /**
   * Detaches the oldest day from one of its tables, or finishes a drop that was begun. 0: no day is old, another replica does
   * this, or a table is in use, so that a later round must do the rest.
   */
  async #dropDay(): Promise<number> {
    const { database } = this.options;
    const done = await alone(database, async () => {
      await finishDrops(database);
      const [old] = await oldDays(database, this.#outcomesFrom());
      if (old === undefined || !(await detachDay(database, old.parent, old.name))) return 0;
      await finishDrops(database);
      return 1;
    });
    return done ?? 0;
  }

  #outcomesFrom(): Date {
    return outcomesFrom(this.options.clock.now(), this.options.outcomeDays);
  }

  async #removeMessages(): Promise<number> {
    const { database, clock, messageDays } = this.options;
    if (messageDays === 0) return 0;
    const before = Math.max(clock.now() - messageDays * DAY_MS, 0);
    // A message that was final by then was taken by then.
    const takenBefore = v7({ msecs: before, random: new Uint8Array(16), seq: 0 });
    const page = await removeMessages(database, this.#afterId, takenBefore, {
      before: new Date(before),
      outcomesFrom: this.#outcomesFrom(),
    });
    this.#afterId = page.lastId ?? FIRST_ID;
    return page.looked;
  }
}
