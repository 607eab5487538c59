// The tokens this process holds of a project's shared rate: taken ahead of the calls, good for a second, for what one
// replica hoards the others lack.

/** Real milliseconds. */
const GOOD_FOR_MS = 1_000;

export class TokenBucket {
  #tokens = 0;
  #until = 0;
  /** Nothing was left at the last asking; not before then. */
  #askAgainAt = 0;

  add(granted: number, waitMs: number, elapsed: number): void {
    this.#tokens = this.left(elapsed) + granted;
    this.#until = elapsed + GOOD_FOR_MS;
    this.#askAgainAt = granted > 0 ? 0 : elapsed + waitMs;
  }

  left(elapsed: number): number {
    return elapsed < this.#until ? this.#tokens : 0;
  }

  /** Whether there was one. */
  take(elapsed: number): boolean {
    if (this.left(elapsed) < 1) return false;
    this.#tokens -= 1;
    return true;
  }

  /** The call was not made. */
  putBack(): void {
    this.#tokens += 1;
  }

  /** Real milliseconds until asking makes sense. */
  askAgainIn(elapsed: number): number {
    return Math.max(0, this.#askAgainAt - elapsed);
  }
}
