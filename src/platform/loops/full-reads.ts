// Decides when something is read from the start, which otherwise is read on from where the last read ended: as often as wished,
// but never for more than a share of the time. While anybody holds a snapshot, a read from the start passes over all rows
// that have ended since.
import type { Clock } from '../clock.js';

/** However long a read took: when the database hung or was away, that says nothing about its cost. */
const MOST_WAIT_MS = 10_000;

/**
 * A row is committed at most so long after its id was made or its time came, real milliseconds: nothing appears any more before
 * a place that was read so long ago. A row that takes longer is found by a full read.
 */
export const COMMITTED_MS = 5_000;

export class FullReads {
  #notBefore = -Infinity;
  #tookMs = 0;

  constructor(
    private readonly clock: Pick<Clock, 'elapsed'>,
    /** All in real milliseconds. */
    private readonly limits: {
      /** At least between the beginnings of two full reads. */
      readonly everyMs: number;
      /** Full reads may take one part in so many of the time, */
      readonly oneIn: number;
      /** and delay the next one by no more than this [10 000]. */
      readonly mostWaitMs?: number;
    },
  ) {}

  get isTime(): boolean {
    return this.waitMs <= 0;
  }

  /** Real milliseconds until the next full read may begin. */
  get waitMs(): number {
    return Math.max(0, this.#notBefore - this.clock.elapsed());
  }

  /** How long the last full read took, real milliseconds. */
  get tookMs(): number {
    return this.#tookMs;
  }

  /** A failed read counts with its time as well. */
  async read<Result>(work: () => Promise<Result>): Promise<Result> {
    const { everyMs, oneIn, mostWaitMs = MOST_WAIT_MS } = this.limits;
    const began = this.clock.elapsed();
    try {
      return await work();
    } finally {
      const ended = this.clock.elapsed();
      this.#tookMs = ended - began;
      this.#notBefore = Math.max(began + everyMs, Math.min(began + oneIn * this.#tookMs, ended + mostWaitMs));
    }
  }
}
