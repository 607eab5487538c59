// The devices of one credential in one process for which a provider said that they get too much (429 for the device). Each rests
// for a while, and only that device.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../../platform/clock.js';
import { LONGEST_RETRY_AFTER_MS, retry, type JudgedAnswer } from './judged-answer.js';

/** How many devices are remembered: some 3 MB. Beyond that the one that was limited first is forgotten and sent to again. */
const DEVICES = 10_000;

interface Limit {
  readonly reason: string;
  /** Clock.elapsed() until which it rests. */
  readonly until: number;
  /** How many times in a row, without an accepted push between them. */
  readonly times: number;
}

export class LimitedDevices {
  readonly #limits = new LRUCache<string, Limit>({ max: DEVICES });

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  /** The answer for a device that rests, to which nothing is sent; undefined if it does not rest. */
  resting(token: string): JudgedAnswer | undefined {
    if (this.#limits.size === 0) return undefined;
    const limit = this.#limits.get(token);
    const ms = limit === undefined ? 0 : limit.until - this.clock.elapsed();
    return limit !== undefined && ms > 0
      ? retry(limit.reason, Math.ceil(ms), { pace: 'unasked' })
      : undefined;
  }

  /** Returns how long the device rests: `ms`, or, where the provider named no time, twice as long each time. */
  limited(token: string, reason: string, ms: number, backsOff: boolean): number {
    const now = this.clock.elapsed();
    const last = this.#limits.get(token);
    // If many requests for it were open at once, only the first counts.
    if (last !== undefined && last.until > now) return last.until - now;
    // After a long rest the count begins anew.
    const times = last === undefined || now - last.until > LONGEST_RETRY_AFTER_MS ? 0 : last.times;
    const restMs = backsOff ? Math.min(ms * 2 ** times, LONGEST_RETRY_AFTER_MS) : ms;
    this.#limits.set(token, { reason, until: now + restMs, times: times + 1 });
    return restMs;
  }

  taken(token: string): void {
    if (this.#limits.size > 0) this.#limits.delete(token);
  }
}
