// The days whose sends hold work: what is due is read from their partitions alone, however many days are kept.
import type { Clock } from '../../../platform/clock.js';
import type { Sql } from '../../../platform/database/database.js';
import { FullReads } from '../../../platform/full-reads.js';
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
/** Real milliseconds, longer where a read takes more than a fiftieth of them: days can only lose work meanwhile. */
const GOOD_FOR = { everyMs: 5_000, oneIn: 50 };
/** Real milliseconds. */
const SLOW_MS = 100;
/** Of the clock, for half of the margin by which days are named in which sends are born. */
const GOOD_WITHIN_MS = 300_000;

// sql/scheduler/functions/work_days.sql: 4 ms of 100 partitions.
const WORK_DAYS = prepared('select lows, highs, days from work_days($1)');

/**
 * Kept for moments, and nothing due is overlooked: a send is born with its work, in the partition of the day, and has some
 * until it ends or is held. Today is always among the days, around midnight the day before or after as well; every other
 * can only lose work, but where a held send is released, which is seen moments later (docs/decisions/0031).
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
    // Nobody who has days that still fit waits for a read that is slow.
    if (isSlow && fits) days.then(take, () => undefined);
    else {
      take();
      days.catch(() => (this.#days = undefined));
    }
    return this.#days ?? days;
  }

  async #read(): Promise<Days> {
    const [row] = await this.sql.query<{ lows: string[] | null; highs: string[]; days: number }>(WORK_DAYS, [
      new Date(this.clock.now()),
    ]);
    // Null where nothing is held and nobody has made today's: then nothing can be born.
    if (row === undefined || row.lows === null) return EVERY_DAY;
    return { lows: row.lows, highs: row.highs, few: row.days <= FEW };
  }
}
