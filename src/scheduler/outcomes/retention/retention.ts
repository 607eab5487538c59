// Deletes what is of age (retention.md, "What is kept"; docs/decisions/0001): days of sends and raw bodies, days of published
// events, and campaigns whose reports are no longer kept. One replica at a time, a bounded piece in each round, and each step is
// complete in itself, so that another process can go on where one died.
import type { Clock } from '../../../platform/clock.js';
import type { Database } from '../../../platform/database/database.js';
import { alone, detachDay, finishDrops } from '../../../platform/database/day-partitions.js';
import {
  beginDrop,
  countEvents,
  currentDrop,
  endStep,
  nextDay,
  tablesOf,
  tidyPage,
  type DayDrop,
} from './day-drop.store.js';
import { coarseBefore, COARSE_UNITS } from '../../store/rollup/kept-rollups.js';
import { coarsenRollups, rollUpLacks } from '../rollup/roll-up.store.js';
import {
  deleteOldEvents,
  forgetCampaigns,
  forgetDuplicates,
  forgetRejections,
  forgetRevisions,
  layEarlierSends,
  publishedDays,
  sumUpEvents,
} from './retention.store.js';

/** How long events of outcomes are kept, once all of their day are published. */
const OUTCOMES_KEPT_MS = 7 * 86_400_000;
/** The most pages of one round, so that the loop can end between two rounds. */
const PAGES = 20;
const DAY_MS = 86_400_000;

const BOUNDS = {
  /** The most rows of one statement: short locks, little WAL at once. */
  page: 5_000,
  /** A day is begun so long after it is of age, real milliseconds: no clock that is a little off writes into a day that goes. */
  marginMs: 2 * 86_400_000,
};

/** The steps before and after which the day is counted and taken off its tables. */
const TIDIES = {
  'earlier-sends': layEarlierSends,
  'earlier-events': sumUpEvents,
  revisions: forgetRevisions,
  rejections: forgetRejections,
  duplicates: forgetDuplicates,
} as const;

/** Days that ended by that instant are begun. */
export const dueBy = (now: number, sendsMs: number, marginMs = BOUNDS.marginMs): Date =>
  new Date(now - sendsMs - marginMs);

export class Retention {
  readonly #bounds: typeof BOUNDS;
  /** The day, counted since the epoch, on which nothing was left to be made coarser. */
  #coarsened = -1;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly kept: { readonly sendsMs: number; readonly reportsMs: number },
    bounds: Partial<typeof BOUNDS> = {},
  ) {
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /** One round; returns how much it did, so that the loop comes again at once while there is more. */
  async runOnce(): Promise<number> {
    const now = this.clock.now();
    const done = await alone(this.database, async () => {
      await finishDrops(this.database);
      return (
        (await this.#outcomes(new Date(now - OUTCOMES_KEPT_MS))) +
        (await this.#day(now)) +
        (await this.#coarsen(now)) +
        (await forgetCampaigns(this.database, new Date(now - this.kept.reportsMs), this.#bounds.page))
      );
    });
    return done ?? 0;
  }

  async #outcomes(before: Date): Promise<number> {
    for (const name of await publishedDays(this.database, before)) {
      await detachDay(this.database, 'send_event', name);
      await finishDrops(this.database);
    }
    return deleteOldEvents(this.database, before, this.#bounds.page);
  }

  /** Once a day until nothing is left: a round that finds nothing has read all rows that are coarse already. */
  async #coarsen(now: number): Promise<number> {
    const day = Math.floor(now / DAY_MS);
    if (this.#coarsened === day) return 0;
    let rows = 0;
    for (const unit of COARSE_UNITS) {
      const before = new Date(coarseBefore(unit, now));
      const coarsened = await coarsenRollups(this.database, before, unit, this.#bounds.page);
      // A roller is at work: a later round tries again.
      if (coarsened === undefined) return rows;
      rows += coarsened;
    }
    if (rows === 0) this.#coarsened = day;
    return rows;
  }

  /** The next steps of the oldest day, once it is of age. */
  async #day(now: number): Promise<number> {
    let drop = await currentDrop(this.database);
    if (drop === undefined) {
      const day = await nextDay(this.database, dueBy(now, this.kept.sendsMs, this.#bounds.marginMs));
      if (day === undefined) return 0;
      drop = await beginDrop(this.database, day);
    }
    let pages = 0;
    for (; pages < PAGES && drop !== undefined; pages += 1) {
      if (!(await this.#page(drop))) return pages;
      drop = await currentDrop(this.database);
    }
    return pages;
  }

  /** A page of its step. False: the rest is for a later round, or another process is at work on it. */
  async #page(drop: DayDrop): Promise<boolean> {
    const { database } = this;
    const { step } = drop;
    const { page } = this.#bounds;
    const ended = new Date(Date.parse(drop.day) + DAY_MS);
    if (step === 'tables') return this.#take(drop, ended);
    const seen =
      step === 'events'
        ? await countEvents(database, drop, page)
        : await tidyPage(database, drop, (sql) => TIDIES[step](sql, ended, drop.after, page));
    if (seen === undefined) return false;
    if (seen < page) await endStep(database, drop);
    return true;
  }

  /** Not before the rollups have all that its sends came to: from then on they count in place of the rows. */
  async #take(drop: DayDrop, ended: Date): Promise<boolean> {
    if (await rollUpLacks(this.database, ended)) return false;
    for (const { parent, name } of await tablesOf(this.database, drop))
      if (!(await detachDay(this.database, parent, name))) return false;
    await finishDrops(this.database);
    await endStep(this.database, drop);
    return true;
  }
}
