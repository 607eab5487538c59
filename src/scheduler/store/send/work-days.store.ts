// The days whose sends hold work: due sends are read only from their partitions, however many days are kept.
import type { Clock } from '../../../platform/clock.js';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { FullReads } from '../../../platform/loops/full-reads.js';
import { prepared } from '../../../platform/database/pooled-database.js';

/** At most four ranges of ids. `few`: statements are planned for these partitions only. */
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

/** Days as the last three parameters of a statement; left out: all. */
export const dayParameters = ({ lows, highs, few }: Days = EVERY_DAY): unknown[] => [lows, highs, few];

/** Planning for one more partition costs each read a third of a millisecond; beyond these the plan for all of them is kept. */
const FEW = 4;
/** Real milliseconds; longer where a read takes more than a fiftieth of them. Meanwhile days can only lose work. */
const GOOD_FOR = { everyMs: 5_000, oneIn: 50 };
/** Real milliseconds. */
const SLOW_MS = 100;
/** Milliseconds of the clock: half of the margin around midnight within which both days count as today (work_days.sql). */
const GOOD_WITHIN_MS = 300_000;

// sql/scheduler/functions/work_days.sql: 4 ms for 100 partitions.
const WORK_DAYS = prepared('select lows, highs, days from work_days($1)');

/**
 * The days are kept for moments, and no due send is overlooked: a send is inserted into today's partition with its work, and has
 * work until it ends or is held. Today is always among the days, and around midnight the neighbouring day as well. All other days
 * can only lose work, except where a held send is released, which is seen moments later (docs/decisions/0031).
 */
export class WorkDays {
  #days: Promise<Days> | undefined;
  readonly #reads: FullReads;
  #readFor = 0;
  #isReading = false;

  constructor(
    private readonly sql: Sql,
    private readonly clock: Clock,
  ) {
    this.#reads = new FullReads(clock, GOOD_FOR);
  }

  now(): Promise<Days> {
    const now = this.clock.now();
    const fits = Math.abs(now - this.#readFor) < GOOD_WITHIN_MS;
    if (this.#days !== undefined && fits && (this.#isReading || !this.#reads.isTime)) return this.#days;
    const isSlow = this.#reads.tookMs > SLOW_MS;
    this.#isReading = true;
    const days = this.#reads.read(() => this.#read()).finally(() => (this.#isReading = false));
    const take = (): void => void ([this.#days, this.#readFor] = [days, now]);
    // Nobody waits for a slow read while the days at hand still fit.
    if (isSlow && fits) days.then(take, () => undefined);
    else {
      take();
      days.catch(() => (this.#days = undefined));
    }
    return this.#days ?? days;
  }

  async #read(): Promise<Days> {
    const row = await firstRow<{ lows: string[] | null; highs: string[]; days: number }>(
      this.sql,
      WORK_DAYS,
      [new Date(this.clock.now())],
    );
    // lows is null where no day has work and today's partitions are not made yet: then no send can be inserted.
    if (row === undefined || row.lows === null) return EVERY_DAY;
    return { lows: row.lows, highs: row.highs, few: row.days <= FEW };
  }
}
