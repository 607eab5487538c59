// Asks a follower's loop for the next round: at once, soon, or at a given instant. So the loop needs no timer.
import type { Clock } from '../../platform/clock.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';

/** Polls that come due within this are read together, real milliseconds: otherwise each would be a statement. */
const GATHER_MS = 100;

export class Rounds {
  #gathering: NodeJS.Timeout | undefined;
  #alarm: { readonly at: EpochMs; readonly cancel: () => void } | undefined;
  #stopped = false;

  constructor(
    private readonly clock: Clock,
    private readonly wake: () => void,
  ) {}

  atOnce(): void {
    if (!this.#stopped) this.wake();
  }

  soon(): void {
    if (this.#stopped) return;
    this.#gathering ??= setTimeout(() => {
      this.#gathering = undefined;
      this.wake();
    }, GATHER_MS);
  }

  /** Asks at `at`; only the earliest instant of all calls counts. null: no instant. */
  at(at: EpochMs | null): void {
    if (at === null || this.#stopped) return;
    if (at <= this.clock.now()) {
      this.soon();
      return;
    }
    if (this.#alarm !== undefined && this.#alarm.at <= at) return;
    this.#alarm?.cancel();
    const cancel = this.clock.at(at, () => {
      this.#alarm = undefined;
      this.soon();
    });
    this.#alarm = { at, cancel };
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#gathering);
    this.#alarm?.cancel();
  }
}
