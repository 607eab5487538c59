// The only place that reads time. now() is for everything that is planned, judged or reported. Tests step it, and the sandbox may
// run it fast. elapsed() is always real: it is for leases, time-outs, back-off and token buckets.

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;

export interface Clock {
  /** The wall clock, epoch milliseconds. It may jump: never use it to measure a length of time. */
  now(): EpochMs;
  /** Real milliseconds, monotonic, with fractions. */
  elapsed(): number;
  /**
   * Calls `fire` once now() has reached `at`; never synchronously, even if it has already. Returns a function that cancels it.
   */
  at(at: EpochMs, fire: () => void): () => void;
}

/** Node fires a setTimeout above 2^31 − 1 ms (24.8 days) at once, so a longer wait uses several timers. */
const LONGEST_TIMEOUT_MS = 2 ** 30;

/** A clock of the sandbox: it shows `origin` when the machine's clock shows `since`, and `rate` of its seconds pass in a real one. */
export interface FastClock {
  readonly origin: EpochMs;
  readonly rate: number;
  /** The machine's clock [now]. Processes that are given the same instant show the same time. */
  readonly since?: EpochMs;
}

/** The machine's clock, or a fast one. */
export class SystemClock implements Clock {
  /** How many of its seconds pass in a real one. */
  readonly rate: number;
  /** performance.now() at which a fast clock shows its origin. */
  readonly #startedAt: number;
  readonly #origin: EpochMs | undefined;

  constructor(fast?: FastClock) {
    this.#origin = fast?.origin;
    this.rate = fast?.rate ?? 1;
    this.#startedAt = fast?.since === undefined ? performance.now() : fast.since - wallClockAhead();
  }

  now(): EpochMs {
    if (this.#origin === undefined) return Date.now();
    return Math.floor(this.#origin + (performance.now() - this.#startedAt) * this.rate);
  }

  elapsed(): number {
    return performance.now();
  }

  at(at: EpochMs, fire: () => void): () => void {
    let timer: NodeJS.Timeout;
    const arm = (): void => {
      const realMs = Math.min(Math.max(0, Math.ceil((at - this.now()) / this.rate)), LONGEST_TIMEOUT_MS);
      // A timer may fire a millisecond early; then it is set again, so that nothing fires before its time.
      timer = setTimeout(() => (this.now() >= at ? fire() : arm()), realMs);
    };
    arm();
    return () => clearTimeout(timer);
  }
}

/** A clock that stands still until a test moves it. Then everything that is due fires, in order of its instant. */
export class SteppedClock implements Clock {
  #now: EpochMs;
  readonly #waiting = new Set<{ at: EpochMs; fire: () => void }>();

  constructor(start: EpochMs | string) {
    this.#now = typeof start === 'string' ? Date.parse(start) : start;
  }

  now(): EpochMs {
    return this.#now;
  }

  elapsed(): number {
    return performance.now();
  }

  at(at: EpochMs, fire: () => void): () => void {
    const waiter = { at, fire };
    this.#waiting.add(waiter);
    if (at <= this.#now) queueMicrotask(() => this.#fireDue());
    return () => this.#waiting.delete(waiter);
  }

  advance(ms: number): void {
    this.set(this.#now + ms);
  }

  set(to: EpochMs | string): void {
    this.#now = typeof to === 'string' ? Date.parse(to) : to;
    this.#fireDue();
  }

  #fireDue(): void {
    const due = [...this.#waiting].filter((waiter) => waiter.at <= this.#now).sort((a, b) => a.at - b.at);
    for (const waiter of due) if (this.#waiting.delete(waiter)) waiter.fire();
  }
}

/**
 * How far the machine's wall clock is ahead of its monotonic clock, milliseconds. It jumps when somebody sets the clock, and
 * otherwise hardly changes. For code around a library that reads `Date` itself.
 */
export function wallClockAhead(): number {
  return Date.now() - performance.now();
}

/**
 * The name of the machine whose clock this is. Linux draws one at each start of the machine, and its containers share it.
 * Elsewhere it is the host's name.
 */
export function machineName(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return hostname();
  }
}

/** The machine's own wall clock, whatever now() says. Unlike elapsed() it goes on while the machine sleeps. It may jump. */
export function machineNow(): EpochMs {
  return Date.now();
}

const CLOCK_SETTING = /^origin=([^,]+),rate=(\d+(?:\.\d+)?)(?:,since=([^,]+))?$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T.*(?:Z|[+-]\d{2}:\d{2})$/;

/**
 * Reads the setting of the sandbox's fast clock: `origin=<instant>,rate=<1..720>[,since=<instant of the machine's clock>]`. Throws
 * a RangeError that says the form.
 */
export function fastClock(setting: string): SystemClock {
  const [, origin = '', rate = '', since] = CLOCK_SETTING.exec(setting) ?? [];
  const fast = {
    origin: instantOf(origin),
    rate: Number(rate),
    ...(since !== undefined && { since: instantOf(since) }),
  };
  if (Object.values(fast).some(Number.isNaN) || !(fast.rate >= 1 && fast.rate <= 720)) {
    throw new RangeError(
      'must be origin=<instant with offset>,rate=<1 to 720>[,since=<instant with offset>]',
    );
  }
  return new SystemClock(fast);
}

function instantOf(text: string): EpochMs {
  return INSTANT.test(text) ? Date.parse(text) : Number.NaN;
}
