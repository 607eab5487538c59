// Stops calling a gateway that cannot be reached: open after a run of calls that never started, then one probe at a
// time. Counts only proof that nothing left; real milliseconds, so a stepped clock cannot hold it open.

export interface CircuitLimits {
  /** Calls in a row that never started, until it opens. */
  readonly after: number;
  /** The first rest, real milliseconds; it doubles with every failed probe. */
  readonly baseMs: number;
  readonly capMs: number;
}

export const circuitDefaults: CircuitLimits = { after: 5, baseMs: 500, capMs: 15_000 };

export type CircuitState = 'closed' | 'open' | 'half-open';

export class Circuit {
  #failures = 0;
  #rests = 0;
  #openUntil = 0;
  #probing = false;

  constructor(private readonly limits: CircuitLimits = circuitDefaults) {}

  stateAt(elapsed: number): CircuitState {
    if (this.#failures < this.limits.after) return 'closed';
    return elapsed < this.#openUntil ? 'open' : 'half-open';
  }

  /** When it lets a probe through; only of use while open. */
  get opensAt(): number {
    return this.#openUntil;
  }

  /** Whether one more call may go; when half-open the one that asks is the probe, and none follows until it ended. */
  admit(elapsed: number): boolean {
    const state = this.stateAt(elapsed);
    if (state === 'closed') return true;
    if (state === 'open' || this.#probing) return false;
    this.#probing = true;
    return true;
  }

  /** A call that started: the gateway can be reached, whatever it said. Returns whether this closed the circuit. */
  reached(): boolean {
    const closes = this.#failures >= this.limits.after;
    this.#failures = 0;
    this.#rests = 0;
    this.#probing = false;
    return closes;
  }

  /** A call that never started. Returns whether this opened the circuit. */
  notReached(elapsed: number): boolean {
    const wasOpen = this.#failures >= this.limits.after;
    this.#failures += 1;
    if (this.#failures < this.limits.after) return false;
    // Calls that were under way when it opened say nothing new.
    if (wasOpen && !this.#probing) return false;
    this.#probing = false;
    this.#openUntil = elapsed + Math.min(this.limits.baseMs * 2 ** this.#rests, this.limits.capMs);
    this.#rests += 1;
    return !wasOpen;
  }

  /** The probe was not made after all: the send had been taken away. */
  released(): void {
    this.#probing = false;
  }
}
