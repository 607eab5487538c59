// A token bucket whose rate and size may change from one call to the next. Pure: the caller passes the time, Clock.elapsed().

export class TokenBucket {
  #tokens = 0;
  #filledAt = -Infinity;

  /**
   * How many tokens there are now, with fractions. It adds `perSecond` for the time since the last call, up to `most`. Full at
   * first.
   */
  fill(now: number, perSecond: number, most: number): number {
    this.#tokens = Math.min(most, this.#tokens + ((now - this.#filledAt) * perSecond) / 1_000);
    this.#filledAt = now;
    return this.#tokens;
  }

  /** Takes one of the tokens that fill() returned. */
  take(): void {
    this.#tokens -= 1;
  }
}
