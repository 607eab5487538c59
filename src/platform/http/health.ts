// Shows whether this process can do its work, by named checks that its modules add. /health/ready, the metrics and the drain read
// it. It never decides what to do about a fault.
import { messageOf } from '../logging/error-code.js';
import type { Clock } from '../clock.js';
import { TimedCache } from '../timed-cache.js';
import { LATE, within } from '../with-timeout.js';

/** A sentence that says what is wrong and what to do, or undefined. */
export type Finding = string | undefined;

/** Whether a reader has the right to see a service. */
export type Holds = (serviceId: string) => boolean;

/** A finding that not every reader may see as a whole, because it names services or what belongs to a service. */
export interface PartialFinding {
  /** The text for a reader of all services. */
  readonly whole: string;
  /** The text for a reader of some services; undefined: nothing of it concerns them. */
  readonly shownTo: (holds: Holds) => Finding;
}

export type Check = () => Finding | PartialFinding | Promise<Finding | PartialFinding>;

export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  /** Something is wrong, but the process counts as ready. */
  readonly note?: true;
  readonly text: string;
  readonly shownTo?: PartialFinding['shownTo'];
}

/** The checks for a reader of some services [all]. A finding that does not concern the reader shows as `ok`. */
export function checksFor(checks: readonly CheckResult[], holds?: Holds): Omit<CheckResult, 'shownTo'>[] {
  return checks.map(({ shownTo, ...check }) => {
    if (shownTo === undefined || holds === undefined) return check;
    const text = shownTo(holds);
    return text === undefined ? { name: check.name, ok: true, text: 'ok' } : { ...check, text };
  });
}

/** A finding of single services, in order; undefined where there is none. */
export function findingOfServices(
  found: readonly { readonly serviceId: string; readonly text: string }[],
): PartialFinding | undefined {
  const said = (some: typeof found): Finding =>
    some.length === 0 ? undefined : some.map(({ serviceId, text }) => `${serviceId}: ${text}`).join('; ');
  const whole = said(found);
  return whole === undefined
    ? undefined
    : { whole, shownTo: (holds) => said(found.filter(({ serviceId }) => holds(serviceId))) };
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
    // Anybody may ask without a token. However often they ask, the checks run at most four times a second.
    this.#cache = new TimedCache({ ttlMs: 250, max: 1, clock });
  }

  /** Adds a check, or replaces the one of that name. */
  add(name: string, check: Check): void {
    this.#checks.set(name, () => run(name, check));
  }

  /**
   * Adds a check for what a reader should know although the process can do most of its work. Its finding is a note. It never
   * makes the process unready, even when it fails or takes too long.
   */
  addNote(name: string, check: Check): void {
    this.#checks.set(name, async () => {
      const result = await run(name, check);
      return result.ok ? result : { ...result, note: true };
    });
  }

  /** The results of all checks, at most 250 ms old. Checks run at the same time. */
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
    if (typeof finding !== 'object') return { name, ok: finding === undefined, text: finding ?? 'ok' };
    return { name, ok: false, text: finding.whole, shownTo: finding.shownTo };
  } catch (error) {
    return { name, ok: false, text: messageOf(error) };
  }
}
