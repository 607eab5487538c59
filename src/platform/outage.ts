// The outage of something outside that this process needs. It writes two log lines, one when it is away and one when it is back,
// however often the process meets it. It never repairs anything: whoever meets the outage tries again.
import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from './clock.js';
import { errorCode, messageOf } from './logging/error-code.js';
import type { Log } from './logging/log.js';

export interface OutageOptions {
  /** A field of both lines. */
  readonly name: string;
  /** Rejects, with the reason, while it is away; never hangs. */
  readonly probe: () => Promise<void>;
  /** How many probes must fail before it counts as away. If it works again at once, that was no outage. */
  readonly probes: number;
  /** Between two probes, real milliseconds. */
  readonly everyMs: number;
  /** The text of the first line: what is wrong, and what happens meanwhile. */
  readonly away: (reason: string) => string;
  /** The beginning of the second line: it is over. */
  readonly back: string;
  readonly clock: Pick<Clock, 'elapsed'>;
  readonly log: Log;
}

export class Outage {
  readonly #stopping = new AbortController();
  #since: number | undefined;
  #failed = 0;
  #reason: unknown;
  #deciding: Promise<boolean> | undefined;

  constructor(private readonly options: OutageOptions) {}

  get isAway(): boolean {
    return this.#since !== undefined;
  }

  /** Call it on every error. Resolves to whether it is away. That is logged here and nowhere else. */
  async met(): Promise<boolean> {
    this.#failed += 1;
    if (this.isAway) return true;
    this.#deciding ??= this.#decide().finally(() => (this.#deciding = undefined));
    return this.#deciding;
  }

  /** Stops probing, because the process ends. */
  stop(): void {
    this.#stopping.abort();
  }

  async #decide(): Promise<boolean> {
    const { name, probes, away, clock, log } = this.options;
    const since = clock.elapsed();
    this.#failed = 1;
    for (let probe = 1; probe <= probes; probe += 1) {
      if (probe > 1) await this.#rest();
      if (await this.#isThere()) return false;
    }
    this.#since = since;
    log.error({ outage: name, code: errorCode(this.#reason) }, away(reasonOf(this.#reason)));
    void this.#watch(since);
    return true;
  }

  async #watch(since: number): Promise<void> {
    const { name, back, clock, log } = this.options;
    do {
      await this.#rest();
      if (this.#stopping.signal.aborted) return;
    } while (!(await this.#isThere()));
    this.#since = undefined;
    const awayMs = Math.round(clock.elapsed() - since);
    const failed = this.#failed;
    log.warn(
      { outage: name, awayMs, failed },
      `${back} after ${(awayMs / 1_000).toFixed(1)} s; ${failed} tries failed meanwhile`,
    );
  }

  async #isThere(): Promise<boolean> {
    try {
      await this.options.probe();
      return true;
    } catch (error) {
      this.#reason = error;
      return false;
    }
  }

  async #rest(): Promise<void> {
    const { signal } = this.#stopping;
    await pause(this.options.everyMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

/** A host name with several addresses fails with one error for each and no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(reasonOf).join(', ');
  return messageOf(error);
}
