// How many calls may begin now at a rate. Real milliseconds: a rate is the gateway's, and its clock is not ours to step.

export class TokenBucket {
  #tokens: number;
  #at: number;

  constructor(
    private rate: number,
    elapsed: number,
  ) {
    this.#tokens = this.#burst();
    this.#at = elapsed;
  }

  /** Calls a second from now on. */
  setRate(rate: number): void {
    this.rate = rate;
    this.#tokens = Math.min(this.#tokens, this.#burst());
  }

  /** Takes one token, if there is one. */
  take(elapsed: number): boolean {
    this.#refill(elapsed);
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** Gives back a token that was not used. */
  putBack(): void {
    this.#tokens = Math.min(this.#tokens + 1, this.#burst());
  }

  /** Real milliseconds until the next token. */
  waitMs(elapsed: number): number {
    this.#refill(elapsed);
    return this.#tokens >= 1 ? 0 : Math.ceil(((1 - this.#tokens) / this.rate) * 1_000);
  }

  /** A quarter of a second's worth may go at once. */
  #burst(): number {
    return Math.max(1, this.rate / 4);
  }

  #refill(elapsed: number): void {
    this.#tokens = Math.min(this.#burst(), this.#tokens + ((elapsed - this.#at) / 1_000) * this.rate);
    this.#at = elapsed;
  }
}
