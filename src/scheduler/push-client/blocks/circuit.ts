// Stops sending to a gateway in trouble: opens after a run of POSTs that ended badly, with no good one between. Then a good
// GET, which costs nothing, admits one POST, and only a good POST closes it. A repeat under its key needs no GET. Once it was open for
// the longest time several times, a send needs none either: there are gateways without results. Real milliseconds, so that a stepped clock
// cannot hold it open.

export interface CircuitLimits {
  /** It opens after this many POSTs in a row that ended badly. */
  readonly after: number;
  /** How long it is open at first, real milliseconds; doubled by every failed probe. */
  readonly baseMs: number;
  /**
   * The longest time that it is open at once, real milliseconds. Each probe's POST may become `uncertain`: with these times one
   * process sends at most 23 of them in five minutes, so two processes stay below 60, including the POSTs that leave while the
   * first bad answers come in.
   */
  readonly capMs: number;
}

/** After it was open this many times for the longest time, one POST goes without a good GET. */
const MOST_UNPROVEN = 4;

export const circuitDefaults: CircuitLimits = { after: 5, baseMs: 500, capMs: 15_000 };

export type CircuitState = 'closed' | 'open' | 'half-open';

/** A request for a send, or the same request once more under its key. */
export type PostKind = 'send' | 'repeat';

/** Whether an answer proves that the gateway works, that it does not, or neither. */
export type Evidence = 'good' | 'bad' | 'none';

export class Circuit {
  #failures = 0;
  #timesOpened = 0;
  #openUntil = 0;
  /** Half-open: a GET is wanted; is under way; was good; a POST is under way. */
  #step: 'ask' | 'asking' | 'asked' | 'probing' = 'ask';
  /** The send whose POST is under way, and the step before it. */
  #probe: { readonly send: string; readonly from: 'ask' | 'asked' } | undefined;
  /** How many times it was open for the longest time since a probe's last POST. */
  #unproven = 0;

  constructor(private readonly limits: CircuitLimits = circuitDefaults) {}

  stateAt(elapsed: number): CircuitState {
    if (this.#failures < this.limits.after) return 'closed';
    return elapsed < this.#openUntil ? 'open' : 'half-open';
  }

  /** When it becomes half-open. Only meaningful while it is open. */
  get opensAt(): number {
    return this.#openUntil;
  }

  /** Whether a GET is wanted; if so, the caller has to make it. */
  ask(elapsed: number): boolean {
    if (this.stateAt(elapsed) !== 'half-open' || this.#step !== 'ask') return false;
    this.#step = 'asking';
    return true;
  }

  /** That GET could not be made: another caller may make it. */
  notAsked(): void {
    if (this.#step === 'asking') this.#step = 'ask';
  }

  /** The answer to any GET: a good one counts; a bad one may concern only what was asked for. */
  heard(evidence: Evidence, elapsed: number): void {
    if (evidence !== 'good' || this.stateAt(elapsed) !== 'half-open' || this.#step === 'probing') return;
    this.#step = 'asked';
  }

  /** The answer to the GET that was wanted. Returns whether the circuit is open again. */
  answered(evidence: Evidence, elapsed: number): boolean {
    this.heard(evidence, elapsed);
    // Another caller's GET may have been good meanwhile.
    if (evidence === 'good' || this.stateAt(elapsed) !== 'half-open' || this.#step !== 'asking') return false;
    this.#open(elapsed);
    return true;
  }

  /**
   * Real milliseconds until a POST of this kind is admitted: 0, now; undefined: not before another call has ended. A repeat
   * cannot make a send uncertain, so it needs no GET.
   */
  waitMs(kind: PostKind, elapsed: number): number | undefined {
    const state = this.stateAt(elapsed);
    if (state === 'open') return this.#openUntil - elapsed;
    const isAdmitted = kind === 'send' ? this.#step === 'asked' : this.#step !== 'probing';
    return state === 'closed' || isAdmitted ? 0 : undefined;
  }

  /** Whether a POST of this send may go; half-open, it is the probe, and no other follows until it has ended. */
  admit(send: string, elapsed: number, kind: PostKind = 'send'): boolean {
    if (this.waitMs(kind, elapsed) !== 0) return false;
    if (this.stateAt(elapsed) === 'half-open') {
      // The answer to a GET under way is ignored during the probe, so a new GET is wanted after it.
      this.#probe = { send, from: this.#step === 'asked' ? 'asked' : 'ask' };
      this.#step = 'probing';
      this.#unproven = 0;
    }
    return true;
  }

  /** The POST of this send was not made after all. */
  released(send: string): void {
    if (this.#step === 'probing' && this.#probe?.send === send) this.#step = this.#probe.from;
  }

  /** How a POST ended. Returns what this changed. */
  ended(evidence: Evidence, elapsed: number): 'opened' | 'still-open' | 'closed' | undefined {
    const wasOpen = this.#failures >= this.limits.after;
    if (evidence === 'good') {
      this.#failures = 0;
      this.#timesOpened = 0;
      this.#unproven = 0;
      this.#step = 'ask';
      return wasOpen ? 'closed' : undefined;
    }
    if (wasOpen) {
      // POSTs that were under way when it opened say nothing new.
      if (this.#step !== 'probing') return undefined;
      this.#open(elapsed);
      return 'still-open';
    }
    if (evidence === 'none') return undefined;
    this.#failures += 1;
    if (this.#failures < this.limits.after) return undefined;
    this.#open(elapsed);
    return 'opened';
  }

  #open(elapsed: number): void {
    const { baseMs, capMs } = this.limits;
    const ms = Math.min(baseMs * 2 ** this.#timesOpened, capMs);
    if (ms === capMs) this.#unproven += 1;
    this.#step = this.#unproven > MOST_UNPROVEN ? 'asked' : 'ask';
    this.#openUntil = elapsed + ms;
    this.#timesOpened += 1;
  }
}
