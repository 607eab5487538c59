// Waits between the questions of a command that may take long: longer and longer, with a line now and then that says that it still
// waits, and an end at Ctrl-C.
import { setTimeout as rest } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.js';

/** The first pause between two questions, doubled while nothing changes. All in milliseconds. */
const FIRST_GAP = 250;
const MOST_GAP = 10_000;
/** The time until a line says that it waits; each further line comes after twice as long. */
const FIRST_LINE = 3_000;
const MOST_LINE = 120_000;

export class Waiting {
  #gap = FIRST_GAP;
  #line = FIRST_LINE;
  #since: number;
  #saidAt: number;

  constructor(
    /** Aborted once nobody waits any more. */
    private readonly signal: AbortSignal,
    private readonly say: (line: string) => void,
    private readonly clock: Pick<Clock, 'elapsed'>,
  ) {
    this.#since = this.#saidAt = clock.elapsed();
  }

  get isOver(): boolean {
    return this.signal.aborted;
  }

  /** Call it when something came: the wait for the next thing begins. */
  restart(): void {
    this.#gap = FIRST_GAP;
    this.#line = FIRST_LINE;
    this.#since = this.#saidAt = this.clock.elapsed();
  }

  /** Real milliseconds since the wait, or the last restart(), began. */
  get elapsed(): number {
    return this.clock.elapsed() - this.#since;
  }

  /** Waits until the next question, at most `most` milliseconds. `what`: what it waits for. */
  async rest(what: string, most = Infinity): Promise<void> {
    const now = this.clock.elapsed();
    if (now - this.#saidAt >= this.#line) {
      this.say(`waiting for ${what} (${Math.round(this.elapsed / 1_000)} s; Ctrl-C ends the waiting alone)`);
      this.#saidAt = now;
      this.#line = Math.min(this.#line * 2, MOST_LINE);
    }
    const ms = Math.min(this.#gap, most);
    this.#gap = Math.min(this.#gap * 2, MOST_GAP);
    await rest(ms, undefined, { signal: this.signal }).catch(() => undefined);
  }
}
