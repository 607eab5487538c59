// Waiting in tests: on a condition, never on a length of time. The only place of the tests that holds a timer.
import { scheduler } from 'node:timers/promises';

const LONGEST_WAIT_MS = 60_000;

export interface Patience {
  /** Real milliseconds until it gives up; default 60 000: a busy machine is slow, not wrong. */
  withinMs?: number;
  /** Real milliseconds between two tries; default 20. */
  everyMs?: number;
}

/**
 * Tries again until `attempt` neither throws nor answers false, and returns its answer. Holds `expect` calls well.
 * undefined is an answer like others: to wait until something is found, use eventuallyFound.
 * Throws what the last attempt threw when time is up.
 */
export async function eventually<T>(
  attempt: () => T | Promise<T>,
  patience: Patience = {},
): Promise<Exclude<T, false>> {
  const { withinMs = LONGEST_WAIT_MS, everyMs = 20 } = patience;
  const deadline = performance.now() + withinMs;
  for (;;) {
    try {
      const answer = await attempt();
      if (answer !== false) return answer as Exclude<T, false>;
      if (performance.now() > deadline) throw new Error(`still false after ${withinMs} ms`);
    } catch (error) {
      if (performance.now() > deadline) throw error;
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
