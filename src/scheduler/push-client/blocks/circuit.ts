// Stops sending to a gateway in trouble. The circuit opens after several POSTs in a row that ended badly, or when the gateway is silent. When its time is over it is
// half-open: a good GET, which has no effect there, admits one POST, and only a good POST closes the circuit. A repeat under its key
// needs no GET. After several times of the longest length a send needs none either, because some gateways have no results to GET.
// Times are real milliseconds, so that a clock that is set cannot hold the circuit open.

export interface CircuitLimits {
  /** It opens after this many POSTs in a row that ended badly. */
  readonly after: number;
  /** How long it is open at first, real milliseconds; doubled by every failed probe. */
  readonly baseMs: number;
  /**
   * The longest time for which it is open without a probe, real milliseconds. Each probe's POST may become `uncertain`. With these
   * times one process sends at most 23 of them in five minutes, and two processes fewer than 60, including the POSTs that leave before
   * the first bad answers have come.
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
  /** While half-open: a GET is wanted; a GET is in flight; a GET was good; a POST is in flight. */
  #step: 'ask' | 'asking' | 'asked' | 'probing' = 'ask';
  /** The send whose POST is in flight, and the step before it. */
  #probe: { readonly send: string; readonly from: 'ask' | 'asked' } | undefined;
  /** Whether it is open because of a silence, not of POSTs that ended badly. */
  #bySilence = false;
  /** How many times it was open for the longest time since the last probe. */
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

  /** The gateway does not answer at all: opens, unless it is open already. */
  silent(elapsed: number): void {
    if (this.#failures >= this.limits.after) return;
    this.#failures = this.limits.after;
    this.#bySilence = true;
    this.#open(elapsed);
  }

  /** It answers again, or nobody asks any more: closes, if only the silence had opened it. */
  silenceIsOver(): void {
    if (this.#bySilence) this.#close();
  }

  /** Whether a GET is wanted; if so, the caller has to make it. */
  ask(elapsed: number): boolean {
    if (this.stateAt(elapsed) !== 'half-open' || this.#step !== 'ask') return false;
    this.#step = 'asking';
    return true;
  }

  /** The GET could not be made: another caller may make it. */
  notAsked(): void {
    if (this.#step === 'asking') this.#step = 'ask';
  }

  /** Counts the answer to any GET if it is good; a bad one may be due to what was asked for. */
  getAnswered(evidence: Evidence, elapsed: number): void {
    if (evidence !== 'good' || this.stateAt(elapsed) !== 'half-open' || this.#step === 'probing') return;
    this.#step = 'asked';
  }

  /** Counts the answer to the GET that was wanted. Returns whether the circuit is open again. */
  probeAnswered(evidence: Evidence, elapsed: number): boolean {
    this.getAnswered(evidence, elapsed);
    // Another caller's GET may have been good meanwhile.
    if (evidence === 'good' || this.stateAt(elapsed) !== 'half-open' || this.#step !== 'asking') return false;
    this.#open(elapsed);
    return true;
  }

  /**
   * Real milliseconds until a POST of this kind is admitted. 0: now. undefined: after another call has ended. A repeat cannot make a
   * send uncertain, so it needs no GET.
   */
  waitMs(kind: PostKind, elapsed: number): number | undefined {
    const state = this.stateAt(elapsed);
    if (state === 'open') return this.#openUntil - elapsed;
    const isAdmitted = kind === 'send' ? this.#step === 'asked' : this.#step !== 'probing';
    return state === 'closed' || isAdmitted ? 0 : undefined;
  }

  /** Whether a POST of this send may leave. While the circuit is half-open it is the probe, and no other leaves until it has ended. */
  admit(send: string, elapsed: number, kind: PostKind = 'send'): boolean {
    if (this.waitMs(kind, elapsed) !== 0) return false;
    if (this.stateAt(elapsed) === 'half-open') {
      // The answer to a GET that is in flight is ignored during the probe, so a new GET is wanted after it.
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

  /** Counts a POST that has ended. Returns what this changed. */
  ended(evidence: Evidence, elapsed: number): 'opened' | 'still-open' | 'closed' | undefined {
    const wasOpen = this.#failures >= this.limits.after;
    if (evidence === 'good') {
      this.#close();
      return wasOpen ? 'closed' : undefined;
    }
    if (wasOpen) {
      // POSTs that were in flight when it opened do not count.
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

  #close(): void {
    this.#failures = 0;
    this.#timesOpened = 0;
    this.#unproven = 0;
    this.#step = 'ask';
    this.#bySilence = false;
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
