// Lets long work on the event loop give way to other work of the process from time to time, because a send may be due.
import { setImmediate as nextRound } from 'node:timers/promises';
import type { Clock } from '../clock.js';

/** How long the work may go on without giving way, real milliseconds. */
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
