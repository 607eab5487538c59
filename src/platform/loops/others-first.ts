// Long work on the event loop gives other work of the process a turn from time to time: a send may be due.
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Clock } from '../clock.js';

/** Work in a row, real milliseconds. */
const AT_ONCE_MS = 10;

export class OthersFirst {
  #since: number;

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {
    this.#since = clock.elapsed();
  }

  /** Call it between two pieces of work, each of a few milliseconds at most. */
  async now(): Promise<void> {
    if (this.clock.elapsed() - this.#since < AT_ONCE_MS) return;
    await nextRound();
    this.#since = this.clock.elapsed();
  }
}
