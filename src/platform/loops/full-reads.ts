// Decides when a full read is due. Other reads go on where the last read ended; a full read begins at the start. Full reads come
// as often as wished, but never take more than a share of the time. While anybody holds a snapshot, a full read passes over all
// rows that have ended since.
import type { Clock } from '../clock.js';

/** The longest wait, however long a read took: if the database hung or was away, the time says nothing about the cost. */
const MOST_WAIT_MS = 10_000;

/**
 * A row is committed at most so long after its id was made or its time came, real milliseconds. So no row appears any more before
 * a place that was read so long ago. A full read finds a row that takes longer.
 */
export const COMMITTED_MS = 5_000;

export class FullReads {
  #notBefore = -Infinity;
  #tookMs = 0;

  constructor(
    private readonly clock: Pick<Clock, 'elapsed'>,
    /** All in real milliseconds. */
    private readonly limits: {
      /** The shortest time between the beginnings of two full reads. */
      readonly everyMs: number;
      /** Full reads take at most the `oneIn`-th share of the time. */
      readonly oneIn: number;
      /** A full read delays the next one by at most this [10 000]. */
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

  /** The time of a failed read counts too. */
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
