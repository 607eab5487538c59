// What goes with time (life-of-a-send.md, "What is kept"; docs/decisions/0001): days of sends and raw
// bodies, days of published events, and campaigns whose reports are kept no longer. One replica at a time, a bounded piece a
// round, and each step stands by itself: whoever comes after a process that died goes on where it was.
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { alone, detachDay, finishDrops } from '../../platform/database/day-partitions.js';
import {
  beginDrop,
  carriedOf,
  carryDay,
  countEvents,
  countSends,
  currentDrop,
  endStep,
  endTables,
  nextDay,
  outlivedTables,
  postponeDrop,
  restDrop,
  tidyPage,
  type DayDrop,
  type OutlivedTable,
} from './day-drop.store.js';
import { coarseBefore, COARSE_UNITS } from '../store/rollup/kept-rollups.js';
import { coarsenRollups, rollUpLacks } from '../store/rollup/roll-up.store.js';
import {
  deleteOldEvents,
  forgetCampaigns,
  forgetDuplicates,
  forgetRejections,
  forgetRevisions,
  publishedDays,
  settleEvents,
  settleSends,
} from './retention.store.js';

/** Events of outcomes, once all of their day is published. */
const OUTCOMES_KEPT_MS = 7 * 86_400_000;
/** Pages of one round, so that the loop can end between two rounds. */
const PAGES = 20;
const ASKED_AGAIN_MS = 86_400_000;

const BOUNDS = {
  /** Rows of one statement: short locks, little WAL at once. */
  page: 5_000,
  /** Rows that are carried at once, while nobody else gets at the table: some 20 µs each. */
  carried: 20_000,
  /** And their bytes, of a table: half a second of them. */
  carriedBytes: 32_000_000,
  /**
   * A day is begun so long after its time, real milliseconds: what ended late, but before, goes with it and is not carried, and
   * no clock that is a little off, and no answer that is late, meets it.
   */
  marginMs: 2 * 86_400_000,
};

/** While the day is there. */
const COUNTS = { sends: countSends, events: countEvents } as const;

/** Behind a day that is gone. */
const TIDIES = {
  'ended-sends': settleSends,
  'ended-events': settleEvents,
  revisions: forgetRevisions,
  rejections: forgetRejections,
  duplicates: forgetDuplicates,
} as const;

/** Before these every send that goes is in the rollups: they are counted from its row. */
const NEED_ROLLUPS: readonly string[] = ['tables', 'ended-sends'];

/** Days that ended by then are begun. */
export const dueBy = (now: number, sendsMs: number, marginMs = BOUNDS.marginMs): Date =>
  new Date(now - sendsMs - marginMs);

export class Retention {
  readonly #bounds: typeof BOUNDS;
  /** The day since the epoch on which nothing was left to be made coarser. */
  #coarsened = -1;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly kept: { readonly sendsMs: number; readonly reportsMs: number },
    bounds: Partial<typeof BOUNDS> = {},
  ) {
    this.#bounds = { ...BOUNDS, ...bounds };
  }

  /** One round: what it did, so that the loop comes again at once while there is more. */
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

  /** Once a day, to its end: where nothing is left to do it reads all that is coarse already. */
  async #coarsen(now: number): Promise<number> {
    const day = Math.floor(now / 86_400_000);
    if (this.#coarsened === day) return 0;
    let rows = 0;
    for (const unit of COARSE_UNITS) {
      const before = new Date(coarseBefore(unit, now));
      rows += await coarsenRollups(this.database, before, unit, this.#bounds.page);
    }
    if (rows === 0) this.#coarsened = day;
    return rows;
  }

  /** The oldest day's next steps, once it is of age. */
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

  /** A page of its step. False: what is left is for a later round, or another process is at it. */
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

  /** What of the day is more than may be carried at once. */
  async #tooLarge(drop: DayDrop): Promise<string | undefined> {
    const tables = await outlivedTables(this.database, drop);
    const large = tables.find((table) => !this.#mayCarry(table));
    return large && `${large.parent}: ${large.rows} rows, ${large.bytes} bytes`;
  }

  #mayCarry({ rows, bytes }: OutlivedTable): boolean {
    // Of a send there may be some notes and attempts.
    return rows <= 5 * this.#bounds.carried && bytes <= this.#bounds.carriedBytes;
  }

  async #postpone(drop: DayDrop, now: number, detail: string): Promise<false> {
    await postponeDrop(this.database, drop, new Date(now + ASKED_AGAIN_MS), detail);
    return false;
  }

  async #take(drop: DayDrop, now: number): Promise<boolean> {
    for (const table of await outlivedTables(this.database, drop)) {
      if (table.rows === 0) {
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
