// Deletes what is of age (life-of-a-send.md, "What is kept"; docs/decisions/0001): days of sends and raw bodies, days of published
// events, and campaigns whose reports are no longer kept. One replica at a time, a bounded piece in each round, and each step is
// complete in itself, so that another process can go on where one died.
import type { Clock } from '../../../platform/clock.js';
import type { Database } from '../../../platform/database/database.js';
import { alone, detachDay, finishDrops } from '../../../platform/database/day-partitions.js';
import {
  beginDrop,
  carriedOf,
  carryDay,
  countEvents,
  countSends,
  currentDrop,
  endStep,
  endTables,
  mustReach,
  nextDay,
  outlivedTables,
  postponeDrop,
  restDrop,
  tidyPage,
  type DayDrop,
  type OutlivedTable,
} from './day-drop.store.js';
import { coarseBefore, COARSE_UNITS } from '../../store/rollup/kept-rollups.js';
import { coarsenRollups, rollUpLacks } from '../../store/rollup/roll-up.store.js';
import {
  deleteOldEvents,
  forgetCampaigns,
  forgetDuplicates,
  forgetRejections,
  forgetRevisions,
  publishedDays,
  sumUpEvents,
  sumUpSends,
} from './retention.store.js';

/** How long events of outcomes are kept, once all of their day are published. */
const OUTCOMES_KEPT_MS = 7 * 86_400_000;
/** The most pages of one round, so that the loop can end between two rounds. */
const PAGES = 20;
const ASKED_AGAIN_MS = 86_400_000;

const BOUNDS = {
  /** The most rows of one statement: short locks, little WAL at once. */
  page: 5_000,
  /** The most rows that are carried at once, some 20 µs each, while the table is locked for all others. */
  carried: 20_000,
  /** And their most bytes in one table: half a second's worth. */
  carriedBytes: 32_000_000,
  /**
   * A day is begun so long after it is of age, real milliseconds: what ended late, but in this time, goes with it and need not be
   * carried; and neither a clock that is a little off nor a late answer meets a day that goes.
   */
  marginMs: 2 * 86_400_000,
};

/** Steps while the day is there. */
const COUNTS = { sends: countSends, events: countEvents } as const;

/** Steps after the day is gone. */
const TIDIES = {
  'ended-sends': sumUpSends,
  'ended-events': sumUpEvents,
  revisions: forgetRevisions,
  rejections: forgetRejections,
  duplicates: forgetDuplicates,
} as const;

/** Steps before which every send that goes must be in the rollups, because these are counted from its row. */
const NEED_ROLLUPS: readonly string[] = ['tables', 'ended-sends'];

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
    const day = Math.floor(now / 86_400_000);
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
    if (drop?.nextAt !== undefined && drop.nextAt !== null && drop.nextAt.getTime() > now) return 0;
    if (drop === undefined || drop.step === 'waits') {
      const day = await nextDay(this.database, dueBy(now, this.kept.sendsMs, this.#bounds.marginMs));
      if (day === undefined) return 0;
      drop = await beginDrop(this.database, day, new Date(now - this.kept.sendsMs));
    }
    let pages = 0;
    for (; pages < PAGES && drop !== undefined && drop.step !== 'waits'; pages += 1) {
      if (!(await this.#page(drop, now))) return pages;
      drop = await currentDrop(this.database);
    }
    return pages;
  }

  /** A page of its step. False: the rest is for a later round, or another process is at work on it. */
  async #page(drop: DayDrop, now: number): Promise<boolean> {
    const { database } = this;
    const { step } = drop;
    const { page } = this.#bounds;
    if (step === 'waits') return false;
    if (NEED_ROLLUPS.includes(step) && (await rollUpLacks(database, drop.cutoff))) return false;
    if (step === 'tables') return this.#take(drop, now);
    if (step === 'sends' || step === 'events') return this.#count({ ...drop, step }, now);
    const seen = await tidyPage(database, drop, (sql) => TIDIES[step](sql, drop.cutoff, drop.after, page));
    if (seen === undefined) return false;
    if (seen < page) await endStep(database, drop);
    return true;
  }

  async #count(drop: DayDrop & { readonly step: keyof typeof COUNTS }, now: number): Promise<boolean> {
    const { database } = this;
    const { page, carried } = this.#bounds;
    const seen = await COUNTS[drop.step](database, drop, page);
    if (seen === undefined) return false;
    const living = await carriedOf(database);
    if (living > carried) return this.#postpone(drop, now, `${living} or more sends and raw bodies of it`);
    if (seen === page) return true;
    const large = drop.step === 'events' ? await this.#tooLarge(drop) : undefined;
    if (large !== undefined) return this.#postpone(drop, now, large);
    await endStep(database, drop);
    return true;
  }

  /** The table of the day that has more than may be carried at once. */
  async #tooLarge(drop: DayDrop): Promise<string | undefined> {
    const tables = await outlivedTables(this.database, drop);
    const large = tables.find((table) => !this.#mayCarry(table));
    return large && `${large.parent}: ${large.rows} rows, ${large.bytes} bytes`;
  }

  #mayCarry({ rows, bytes }: OutlivedTable): boolean {
    // A send may have several notes and attempts.
    return rows <= 5 * this.#bounds.carried && bytes <= this.#bounds.carriedBytes;
  }

  async #postpone(drop: DayDrop, now: number, detail: string): Promise<false> {
    await postponeDrop(this.database, drop, new Date(now + ASKED_AGAIN_MS), detail);
    return false;
  }

  async #take(drop: DayDrop, now: number): Promise<boolean> {
    for (const table of await outlivedTables(this.database, drop)) {
      if (table.rows === 0 && !(await mustReach(this.database, table))) {
        if (!(await detachDay(this.database, table.parent, table.name))) return false;
        continue;
      }
      const taken = await carryDay(this.database, table, drop);
      if (taken === 'slow') {
        const detail = `${table.parent}: ${table.rows} rows took over a second to carry, and more`;
        await restDrop(this.database, drop, new Date(now + ASKED_AGAIN_MS), detail);
      }
      if (taken !== 'carried') return false;
    }
    await finishDrops(this.database);
    await endTables(this.database, drop);
    return true;
  }
}
