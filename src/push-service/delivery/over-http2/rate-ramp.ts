// FCM's quota is a rate that it wants approached slowly: a token bucket whose rate grows from the first request after a rest.
// Pure: the caller passes the time, Clock.elapsed().
import { TokenBucket, waitForOne } from './token-bucket.js';

const START_PER_SECOND = 500;
const RAMP_MS = 60_000;
/** After so long without a request the ramp begins again. */
const REST_MS = 300_000;
/** The burst that may go at once: what the rate gives in so long. */
const BURST_MS = 100;

export class RateRamp {
  readonly #bucket = new TokenBucket();
  #since = 0;
  #usedAt = -Infinity;

  constructor(private readonly fullPerSecond: number) {}

  /** Requests that may go now. */
  available(now: number): number {
    return Math.floor(this.#fill(now));
  }

  /** Only while one is available. */
  take(now: number): void {
    this.#fill(now);
    this.#bucket.take();
    this.#usedAt = now;
  }

  /** Until the next one may go. */
  waitMs(now: number): number {
    return waitForOne(this.#fill(now), this.perSecond(now));
  }

  perSecond(now: number): number {
    const start = Math.min(START_PER_SECOND, this.fullPerSecond);
    return start + (this.fullPerSecond - start) * Math.min(1, Math.max(0, now - this.#since) / RAMP_MS);
  }

  #fill(now: number): number {
    if (now - this.#usedAt >= REST_MS) {
      this.#since = this.#usedAt = now;
      this.#bucket.restart(now, (this.perSecond(now) * BURST_MS) / 1_000);
    }
    const rate = this.perSecond(now);
    return this.#bucket.fill(now, rate, Math.max(1, (rate * BURST_MS) / 1_000));
  }
}
