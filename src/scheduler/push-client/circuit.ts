// Stops sending to a gateway in trouble: open after a run of POSTs that ended badly, with none good between. Then a good
// GET, which costs nothing, admits one POST, and only a good POST closes it. Real milliseconds, so a stepped clock cannot
// hold it open.

export interface CircuitLimits {
  /** POSTs in a row that ended badly, until it opens. */
  readonly after: number;
  /** The first rest, real milliseconds; it doubles with every failed probe. */
  readonly baseMs: number;
  /**
   * Each probe's POST may become `uncertain`: in five minutes these rests leave a process 23 of them, so that two
   * processes stay below 60 with those that leave while the first bad answers come in.
   */
  readonly capMs: number;
}

export const circuitDefaults: CircuitLimits = { after: 5, baseMs: 500, capMs: 15_000 };

export type CircuitState = 'closed' | 'open' | 'half-open';

/** Whether an answer proves that the gateway works, that it does not, or neither. */
export type Evidence = 'good' | 'bad' | 'none';

export class Circuit {
  #failures = 0;
  #rests = 0;
  #openUntil = 0;
  /** Half-open: a GET is under way; was good; a POST is under way. */
  #step: 'ask' | 'asking' | 'asked' | 'probing' = 'ask';

  constructor(private readonly limits: CircuitLimits = circuitDefaults) {}

  stateAt(elapsed: number): CircuitState {
    if (this.#failures < this.limits.after) return 'closed';
    return elapsed < this.#openUntil ? 'open' : 'half-open';
  }

  /** When it asks again; only of use while open. */
  get opensAt(): number {
    return this.#openUntil;
  }

  /** Whether a GET is wanted; whoever is told so makes it. */
  ask(elapsed: number): boolean {
    if (this.stateAt(elapsed) !== 'half-open' || this.#step !== 'ask') return false;
    this.#step = 'asking';
    return true;
  }

  /** That GET could not be made: somebody else's turn. */
  notAsked(): void {
    if (this.#step === 'asking') this.#step = 'ask';
  }

  /** The answer to any GET: those that ask for results count as well as one of its own. Returns whether it rests again. */
  heard(evidence: Evidence, elapsed: number): boolean {
    if (this.stateAt(elapsed) !== 'half-open' || this.#step === 'probing') return false;
    if (evidence === 'good') this.#step = 'asked';
    else this.#rest(elapsed);
    return evidence !== 'good';
  }

  /** Whether a POST would be admitted. */
  admits(elapsed: number): boolean {
    const state = this.stateAt(elapsed);
    return state === 'closed' || (state === 'half-open' && this.#step === 'asked');
  }

  /** Whether one more POST may go; when half-open it is the probe, and none follows until it ended. */
  admit(elapsed: number): boolean {
    if (!this.admits(elapsed)) return false;
    if (this.stateAt(elapsed) === 'half-open') this.#step = 'probing';
    return true;
  }

  /** The probe was not made after all: the send had been taken away. */
  released(): void {
    if (this.#step === 'probing') this.#step = 'asked';
  }

  /** How a POST ended. Returns what this changed. */
  ended(evidence: Evidence, elapsed: number): 'opened' | 'still-open' | 'closed' | undefined {
    const wasOpen = this.#failures >= this.limits.after;
    if (evidence === 'good') {
      this.#failures = 0;
      this.#rests = 0;
      this.#step = 'ask';
      return wasOpen ? 'closed' : undefined;
    }
    if (wasOpen) {
      // Those that were under way when it opened say nothing new.
      if (this.#step !== 'probing') return undefined;
      this.#rest(elapsed);
      return 'still-open';
    }
    if (evidence === 'none') return undefined;
    this.#failures += 1;
    if (this.#failures < this.limits.after) return undefined;
    this.#rest(elapsed);
    return 'opened';
  }

  #rest(elapsed: number): void {
    this.#step = 'ask';
    this.#openUntil = elapsed + Math.min(this.limits.baseMs * 2 ** this.#rests, this.limits.capMs);
    this.#rests += 1;
  }
}
