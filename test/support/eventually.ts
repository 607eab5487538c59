// Waiting in tests: on a condition, never on a length of time. The only place of the tests that holds a timer.
import { scheduler } from 'node:timers/promises';

const LONGEST_WAIT_MS = 60_000;
/**
 * Outside a whole run, an attempt that has failed alike for so long will not succeed: whoever works at one spec need not wait a minute
 * for that. In a whole run the machine is busy, and that alone may take longer.
 */
const ALIKE_MS = process.env['CARILLON_TEST_WHOLE'] === '1' ? Infinity : 15_000;

export interface Patience {
  /** Real milliseconds until it gives up [60 000]: a busy machine is slow, not wrong. */
  withinMs?: number;
  /** Real milliseconds between two tries; default 20. */
  everyMs?: number;
}

/**
 * Tries again until `attempt` neither throws nor answers false, and returns its answer. Holds `expect` calls well.
 * undefined is an answer like others: to wait until something is found, use eventuallyFound.
 * Throws what the last attempt threw when time is up, and outside a whole run as soon as it has failed alike for 15 s.
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  patience: Patience = {},
): Promise<Exclude<T, false>> {
  const { withinMs, everyMs = 20 } = patience;
  const began = performance.now();
  const deadline = began + (withinMs ?? LONGEST_WAIT_MS);
  let last: { readonly text: string; readonly since: number } | undefined;
  for (;;) {
    try {
      const answer = await attempt();
      if (answer !== false) return answer as Exclude<T, false>;
      throw new Error(`still false after ${Math.round(performance.now() - began)} ms`);
    } catch (error) {
      const now = performance.now();
      const text = String(error).replaceAll(/\d+ ms$/g, '');
      if (last?.text !== text) last = { text, since: now };
      // A caller that names its time has the whole of it.
      const isAlike = withinMs === undefined && now - last.since > ALIKE_MS;
      if (now > deadline || isAlike) throw error;
    }
    await scheduler.wait(everyMs);
  }
}

/** Tries again until `find` answers neither undefined nor null, and returns what it found. */
export async function eventuallyFound<T>(
  find: () => T | Promise<T>,
  patience: Patience = {},
): Promise<NonNullable<Awaited<T>>> {
  return eventually(async () => {
    const found = await find();
    if (found === undefined || found === null)
      throw new Error(`nothing found within ${patience.withinMs ?? LONGEST_WAIT_MS} ms`);
    return found;
  }, patience);
}

/** Checks again and again for `ms` real milliseconds; throws what the check throws as soon as it does. */
export async function throughout(ms: number, check: () => void | Promise<void>): Promise<void> {
  const end = performance.now() + ms;
  while (performance.now() < end) {
    await check();
    await scheduler.wait(100);
  }
}

/** Lets pass what an answer takes or a fault lasts; what is to come about meanwhile is waited for by `eventually`. */
export async function lasting(ms: number): Promise<void> {
  await scheduler.wait(ms);
}
