// When something is read from the start again, where mostly it is read on from what is known: as often as wished, but never
// for more than a share of the time. While somebody holds a snapshot, a read from the start walks over all that has ended since.
import type { Clock } from './clock.js';

/** However long one took: a database that hung or was away says nothing of what a read costs. */
const MOST_WAIT_MS = 10_000;

/**
 * A row is committed so long after its id was made or its time came, real milliseconds: behind what was read so long ago nothing
 * comes any more. What takes longer is found by a full read.
 */
export const COMMITTED_MS = 5_000;

export class FullReads {
  #notBefore = -Infinity;
  #tookMs = 0;

  constructor(
    private readonly clock: Pick<Clock, 'elapsed'>,
    /** All in real milliseconds. */
    private readonly limits: {
      /** Between the beginnings of two at least. */
      readonly everyMs: number;
      /** A read may take one part in so many of the time, */
      readonly oneIn: number;
      /** and keeps the next one waiting for no longer than this: 10 s, if nothing is said. */
      readonly mostWaitMs?: number;
    },
  ) {}

  get isTime(): boolean {
    return this.waitMs <= 0;
  }

  /** Real milliseconds until the next one may be made. */
  get waitMs(): number {
    return Math.max(0, this.#notBefore - this.clock.elapsed());
  }

  /** How long the last one took, real milliseconds. */
  get tookMs(): number {
    return this.#tookMs;
  }

  /** One that fails has taken its time as well. */
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
