// Whether this process can do its work: named checks, which its parts add themselves. Read by /health/ready, the metrics and
// the drain; never decides what to do about a fault.
import { messageOf } from '../logging/error-code.js';
import type { Clock } from '../clock.js';
import { TimedCache } from '../timed-cache.js';
import { LATE, within } from '../with-timeout.js';

/** A sentence that says what is wrong and what to do, or undefined. */
export type Finding = string | undefined;

export type Check = () => Finding | Promise<Finding>;

export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  /** Something is wrong, but the process counts as ready. */
  readonly note?: true;
  readonly text: string;
}

export interface HealthReport {
  readonly ready: boolean;
  readonly checks: readonly CheckResult[];
}

/** A check that takes longer counts as failed, real milliseconds. */
const CHECK_TIMEOUT_MS = 2_000;

export class Health {
  readonly #checks = new Map<string, () => Promise<CheckResult>>();
  readonly #cache: TimedCache<HealthReport>;

  constructor(clock: Clock) {
    // Anybody may ask without a token; however often they do, the checks run at most four times a second.
    this.#cache = new TimedCache({ ttlMs: 250, max: 1, clock });
  }

  /** Adds a check, or replaces the one of that name. */
  add(name: string, check: Check): void {
    this.#checks.set(name, () => run(name, check));
  }

  /**
   * Adds a check of what a reader should know, though the process can do most of its work. It never makes the process unready, nor
   * when it fails or takes too long: what it finds is a note.
   */
  addNote(name: string, check: Check): void {
    this.#checks.set(name, async () => {
      const result = await run(name, check);
      return result.ok ? result : { ...result, note: true };
    });
  }

  /** All checks, run side by side; at most 250 ms old. */
  report(): Promise<HealthReport> {
    return this.#cache.get('', async () => {
      const checks = await Promise.all([...this.#checks.values()].map((check) => check()));
      return { ready: checks.every(({ ok, note }) => ok || note), checks };
    });
  }
}

async function run(name: string, check: Check): Promise<CheckResult> {
  try {
    const finding = await within((async () => check())(), CHECK_TIMEOUT_MS);
    if (finding === LATE) return { name, ok: false, text: `no answer within ${CHECK_TIMEOUT_MS} ms` };
    return { name, ok: finding === undefined, text: finding ?? 'ok' };
  } catch (error) {
    return { name, ok: false, text: messageOf(error) };
  }
}
