// The skeleton of every loop: a thin ticker around runOnce(), which does all the work and returns how much it did. The loop never
// does work of its own, never overlaps two rounds, and goes on after every error of a round.
import { messageOf } from '../logging/error-code.js';
import { FaultLines } from '../logging/fault-lines.js';
import type { Log } from '../logging/log.js';

export interface RunLoopOptions {
  name: string;
  /** One round. Returns the number of things done; 0 lets the loop rest. */
  runOnce: (signal: AbortSignal) => Promise<number>;
  /** The longest rest between two rounds, real milliseconds, read after each round; wake() cuts it short. */
  idleMs: number | (() => number);
  /** The rest after a round that did something, real milliseconds [0]; wake() does not cut it short. */
  gapMs?: number;
  /** The longest rest after a failed round, real milliseconds [5 000]. */
  longestFailureRestMs?: number;
  log: Log;
}

/** The rest after a failed round, real milliseconds. It doubles from 100 up to the longest, less a jitter of up to a quarter. */
function restAfter(failures: number, longestMs: number): number {
  return Math.min(100 * 2 ** (failures - 1), longestMs) * (1 - Math.random() / 4);
}

export class RunLoop {
  readonly #options: RunLoopOptions;
  readonly #abort = new AbortController();
  #running: Promise<void> | undefined;
  #woken = false;
  #endBlock: (() => void) | undefined;
  #endsByWake = true;
  readonly #lines: FaultLines;
  #failures = 0;
  #lastError: string | undefined;

  constructor(options: RunLoopOptions) {
    this.#options = options;
    this.#lines = new FaultLines(options.log);
  }

  get name(): string {
    return this.#options.name;
  }

  /** The error of the last round, or undefined when it succeeded: for /health/ready. */
  get lastError(): string | undefined {
    return this.#lastError;
  }

  /** Whether it rests between two rounds, until it is woken or its time comes. */
  get rests(): boolean {
    return this.#endBlock !== undefined;
  }

  start(): void {
    this.#running ??= this.#run();
  }

  /** Asks for a round now; during a round, for one more after it. */
  wake(): void {
    this.#woken = true;
    if (this.#endsByWake) this.#endBlock?.();
  }

  /** Like wake(), but only for a loop that rests after a round that did not fail; it shortens neither a back-off nor the gap. */
  wakeResting(): void {
    if (this.#failures === 0 && this.#endsByWake) this.#endBlock?.();
  }

  /** Resolves after the round that is running. */
  async stop(): Promise<void> {
    this.#abort.abort();
    this.#endBlock?.();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    const { gapMs = 0 } = this.#options;
    while (!signal.aborted) {
      this.#woken = false;
      const rest = await this.#round(signal);
      if (rest === 0 && gapMs > 0 && !signal.aborted) await this.#rest(gapMs, false);
      if (rest > 0 && !this.#woken && !signal.aborted) await this.#rest(rest, true);
    }
  }

  async #round(signal: AbortSignal): Promise<number> {
    const { name, runOnce, idleMs, longestFailureRestMs = 5_000 } = this.#options;
    try {
      const done = await runOnce(signal);
      this.#lines.worked({ loop: name, failures: this.#failures }, 'the loop works again');
      this.#failures = 0;
      this.#lastError = undefined;
      if (done > 0) return 0;
      return typeof idleMs === 'number' ? idleMs : idleMs();
    } catch (error) {
      this.#failures += 1;
      this.#lastError = messageOf(error);
      const fields = { loop: name, failures: this.#failures };
      await this.#lines.failed(error, fields, 'a round of the loop failed; it goes on');
      return restAfter(this.#failures, longestFailureRestMs);
    }
  }

  async #rest(ms: number, endsByWake: boolean): Promise<void> {
    this.#endsByWake = endsByWake;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#endBlock = () => {
        clearTimeout(timer);
        resolve();
      };
    });
    this.#endBlock = undefined;
  }
}
