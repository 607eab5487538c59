// Shows whether this process can do its work, by named checks, each of the stage that it is about. /health/ready, the metrics and
// the drain read it. It never decides what to do about a fault.
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

export interface HealthCheck {
  readonly name: string;
  /**
   * It is for what a reader should know although the process can do most of its work. Its finding is a note. It never makes the
   * process unready, even when it fails or takes too long [false].
   */
  readonly isNote?: boolean;
  readonly find: () => Finding | PartialFinding | Promise<Finding | PartialFinding>;
}

/** A note that asks the database. While that is away, it finds nothing: the check `database` shows it. '' is nothing too. */
export const noteByDatabase = (name: string, find: () => Promise<Finding | PartialFinding>): HealthCheck => ({
  name,
  isNote: true,
  find: async () => (await find().catch(() => undefined)) || undefined,
});

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
  add(check: HealthCheck): void {
    this.#checks.set(check.name, () => run(check));
  }

  /** The results of all checks, at most 250 ms old. Checks run at the same time. */
  report(): Promise<HealthReport> {
    return this.#cache.get('', async () => {
      const checks = await Promise.all([...this.#checks.values()].map((check) => check()));
      return { ready: checks.every(({ ok, note }) => ok || note), checks };
    });
  }
}

async function run({ name, isNote = false, find }: HealthCheck): Promise<CheckResult> {
  const found = await within((async () => find())(), CHECK_TIMEOUT_MS).catch(messageOf);
  if (found === undefined) return { name, ok: true, text: 'ok' };
  const note = isNote && { note: true as const };
  if (found === LATE) return { name, ok: false, ...note, text: `no answer within ${CHECK_TIMEOUT_MS} ms` };
  if (typeof found !== 'object') return { name, ok: false, ...note, text: found };
  return { name, ok: false, ...note, text: found.whole, shownTo: found.shownTo };
}
