// FCM's quota is a rate that it wants approached slowly: a token bucket whose rate grows from the first request after a rest.
// Pure: the caller passes the time, Clock.elapsed().

const START_PER_SECOND = 500;
const RAMP_MS = 60_000;
/** After so long without a request the ramp begins again. */
const REST_MS = 300_000;
/** The burst that may go at once: what the rate gives in so long. */
const BURST_MS = 100;

export class RateRamp {
  #since = 0;
  #usedAt = -Infinity;
  #filledAt = 0;
  #tokens = 0;

  constructor(private readonly fullPerSecond: number) {}

  /** Requests that may go now. */
  available(now: number): number {
    this.#fill(now);
    return Math.floor(this.#tokens);
  }

  /** Only while one is available. */
  take(now: number): void {
    this.#fill(now);
    this.#tokens -= 1;
    this.#usedAt = now;
  }

  /** Until the next one may go. */
  waitMs(now: number): number {
    this.#fill(now);
    return this.#tokens >= 1 ? 0 : ((1 - this.#tokens) * 1_000) / this.perSecond(now);
  }

  perSecond(now: number): number {
    const start = Math.min(START_PER_SECOND, this.fullPerSecond);
    return start + (this.fullPerSecond - start) * Math.min(1, Math.max(0, now - this.#since) / RAMP_MS);
  }

  #fill(now: number): void {
    if (now - this.#usedAt >= REST_MS) {
      this.#since = this.#filledAt = this.#usedAt = now;
      this.#tokens = (this.perSecond(now) * BURST_MS) / 1_000;
    }
    const rate = this.perSecond(now);
    const most = Math.max(1, (rate * BURST_MS) / 1_000);
    this.#tokens = Math.min(most, this.#tokens + ((now - this.#filledAt) * rate) / 1_000);
    this.#filledAt = now;
  }
}
