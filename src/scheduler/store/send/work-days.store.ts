// The days whose sends hold work: what is due is read from their partitions alone, however many days are kept.
import type { Clock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';

/** As ranges of ids, at most four; `few`: a statement is planned for their partitions alone. */
export interface Days {
  readonly lows: readonly string[];
  readonly highs: readonly string[];
  readonly few: boolean;
}

export const EVERY_DAY: Days = {
  lows: ['00000000-0000-0000-0000-000000000000'],
  highs: ['ffffffff-ffff-ffff-ffff-ffffffffffff'],
  few: false,
};

/** Planning for one more costs each read a third of a millisecond; beyond these the plan for all of them is kept. */
const FEW = 4;
/** Real milliseconds; and of the clock, for half of the margin by which days are named in which sends are born. */
const [GOOD_FOR_MS, GOOD_WITHIN_MS] = [5_000, 300_000];

// sql/scheduler/functions/work_days.sql: 4 ms of 100 partitions.
const WORK_DAYS = prepared('select lows, highs, days from work_days($1)');

/**
 * Kept for moments, and nothing due is overlooked: a send is born with its work, in the partition of the day, and has some
 * until it ends or is held. Today is always among the days, around midnight the day before or after as well; every other
 * can only lose work, but where a held send is released, which is seen moments later (docs/decisions/0031).
 */
export class WorkDays {
  #days: Promise<Days> | undefined;
  #readAt = 0;
  #readFor = 0;

  constructor(
    private readonly sql: Sql,
    private readonly clock: Clock,
  ) {}

  now(): Promise<Days> {
    const [elapsed, now] = [this.clock.elapsed(), this.clock.now()];
    const isGood = elapsed < this.#readAt + GOOD_FOR_MS && Math.abs(now - this.#readFor) < GOOD_WITHIN_MS;
    if (this.#days === undefined || !isGood) {
      [this.#readAt, this.#readFor] = [elapsed, now];
      this.#days = this.#read();
      this.#days.catch(() => (this.#days = undefined));
    }
    return this.#days;
  }

  async #read(): Promise<Days> {
    const [row] = await this.sql.query<{ lows: string[]; highs: string[]; days: number }>(WORK_DAYS, [
      new Date(this.clock.now()),
    ]);
    return row === undefined ? EVERY_DAY : { ...row, few: row.days <= FEW };
  }
}
