// How long a gateway has given no answer at all, though it was called. Any answer ends the silence, also one that refuses; a
// connection that cannot be made goes on with it. Times are real milliseconds. Pure.

/** A call without an answer is no sign of the present for longer than this after it ended, real milliseconds. */
const SIGN_MS = 60_000;

export class Silence {
  #open = 0;
  /** When the first call began that has no answer and came after the last answer. */
  #since: number | undefined;
  /** When a call ended without an answer. */
  #endedAt = -Infinity;

  began(elapsed: number): void {
    this.#open += 1;
    this.#since ??= elapsed;
  }

  answered(elapsed: number): void {
    this.#open -= 1;
    // The calls that are still open are silent since now at most.
    this.#since = this.#open > 0 ? elapsed : undefined;
    this.#endedAt = -Infinity;
  }

  unanswered(elapsed: number): void {
    this.#open -= 1;
    this.#endedAt = elapsed;
  }

  /** The call was not made after all, for a reason on our side. */
  notMade(): void {
    this.#open -= 1;
    if (this.#open === 0 && this.#endedAt === -Infinity) this.#since = undefined;
  }

  /** Real milliseconds that it has lasted; 0: there is none, or nobody has called for a while. */
  lasts(elapsed: number): number {
    if (this.#since === undefined) return 0;
    if (this.#open > 0) return elapsed - this.#since;
    return elapsed - this.#endedAt > SIGN_MS ? 0 : this.#endedAt - this.#since;
  }

  /** Whether a call is needed to know more: one ended without an answer, and none is open. */
  get isInDoubt(): boolean {
    return this.#open === 0 && this.#since !== undefined;
  }
}
