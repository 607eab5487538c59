// Deletes what is past its time (retention.md, "What is kept"; docs/decisions/0001): days of sends and raw bodies, days of published
// events, and campaigns whose reports are no longer kept. One process works at a time, with a bounded number of rows in each round.
// Each step is complete in itself, so that another process can go on if one dies.
import type { Clock } from '../../../platform/clock.js';
import type { Database } from '../../../platform/database/database.js';
import { alone, detachDay, finishDrops } from '../../../platform/database/day-partitions.js';
import { keptSince } from '../../../platform/kept.js';
import { KEPT } from '../../store/kept.js';
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
  moveEarlierSends,
  publishedDays,
  sumUpEvents,
} from './retention.store.js';

/** The most pages of one round, so that the loop can end between two rounds. */
const PAGES = 20;
const DAY_MS = 86_400_000;

const BOUNDS = {
  /** The most rows of one statement: so locks are short and there is little WAL at once. */
  page: 5_000,
  /** A day is begun this long after its time is over, real milliseconds: so a clock that is slightly wrong never writes into it. */
  marginMs: 2 * 86_400_000,
};

/** The steps other than `events`, which counts the day's raw bodies, and `tables`, which detaches the day from its tables. */
const TIDIES = {
  'earlier-sends': moveEarlierSends,
  'earlier-events': sumUpEvents,
  revisions: forgetRevisions,
  rejections: forgetRejections,
  duplicates: forgetDuplicates,
} as const;

/** Days that ended by this instant are begun. */
export const dueBy = (now: number, sendsMs: number, marginMs = BOUNDS.marginMs): Date =>
  new Date(now - sendsMs - marginMs);

export class Retention {
  readonly #bounds: typeof BOUNDS;
  /** The day, counted since 1970, on which no sum was left to be made coarser. */
  #coarsened = -1;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly kept: { readonly sendsMs: number; readonly reportsMs: number },
    bounds: Partial<typeof BOUNDS> = {},
  ) {
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /** One round. Returns how much it did: the loop comes again at once while that is not 0. */
  async runOnce(): Promise<number> {
    const now = this.clock.now();
    const done = await alone(this.database, async () => {
      await finishDrops(this.database);
      return (
        (await this.#outcomes(keptSince(KEPT, 'send_event', now))) +
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

  /** Each day until nothing is left, then not again on that day: a round that finds nothing has read all coarse rows. */
  async #coarsen(now: number): Promise<number> {
    const day = Math.floor(now / DAY_MS);
    if (this.#coarsened === day) return 0;
    let rows = 0;
    for (const unit of COARSE_UNITS) {
      const before = new Date(coarseBefore(unit, now));
      const coarsened = await coarsenRollups(this.database, before, unit, this.#bounds.page);
      // A process rolls up now: a later round tries again.
      if (coarsened === undefined) return rows;
      rows += coarsened;
    }
    if (rows === 0) this.#coarsened = day;
    return rows;
  }

  /** The next steps of the oldest day, once its time is over. */
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

  /** A page of its step. False: a later round does the rest, or another process works on it. */
  async #page(drop: DayDrop): Promise<boolean> {
    const { database } = this;
    const { step } = drop;
    const { page } = this.#bounds;
    const ended = new Date(Date.parse(drop.day) + DAY_MS);
    if (step === 'tables') return this.#detach(drop, ended);
    const seen =
      step === 'events'
        ? await countEvents(database, drop, page)
        : await tidyPage(database, drop, (sql) => TIDIES[step](sql, ended, drop.after, page));
    if (seen === undefined) return false;
    if (seen < page) await endStep(database, drop);
    return true;
  }

  /** Detaches the day from its tables once the rollups have all of its sends: from then on these count in place of the rows. */
  async #detach(drop: DayDrop, ended: Date): Promise<boolean> {
    if (await rollUpLacks(this.database, ended)) return false;
    for (const { parent, name } of await tablesOf(this.database, drop))
      if (!(await detachDay(this.database, parent, name))) return false;
    await finishDrops(this.database);
    await endStep(this.database, drop);
    return true;
  }
}
