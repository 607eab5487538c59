// FCM asks its callers to approach the rate of their quota slowly. So the rate grows from the first request after a rest.
// Pure: the caller passes the time, Clock.elapsed().

const START_PER_SECOND = 500;
const RAMP_MS = 60_000;
/** After so long without a request the rate begins to grow anew. */
const REST_MS = 300_000;
/** How many requests may go at once: as many as the rate gives in so long. */
const BURST_MS = 100;

export class RateRamp {
  #since = 0;
  #usedAt = -Infinity;

  constructor(private readonly fullPerSecond: number) {}

  perSecond(now: number): number {
    const start = Math.min(START_PER_SECOND, this.fullPerSecond);
    const since = this.#isRested(now) ? now : this.#since;
    return start + (this.fullPerSecond - start) * Math.min(1, (now - since) / RAMP_MS);
  }

  /** How many requests may go at once. */
  burst(now: number): number {
    return Math.max(1, (this.perSecond(now) * BURST_MS) / 1_000);
  }

  /** Call it when a request goes. */
  used(now: number): void {
    if (this.#isRested(now)) this.#since = now;
    this.#usedAt = now;
  }

  #isRested(now: number): boolean {
    return now - this.#usedAt >= REST_MS;
  }
}
