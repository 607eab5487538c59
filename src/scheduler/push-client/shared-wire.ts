// Calls of each project that this process has on the wire: sends and polls share the project's in-flight bound, as they
// share its rate (pace.store.ts). Counts and says who may call; calls nobody.
import { POLLS_SHARE } from './pace.store.js';

type Caller = 'sends' | 'polls';

/** One project's places. */
export class ProjectWire {
  /** Of the project; who reads its settings says so. */
  inFlight = 1;
  #sends = 0;
  #asking = 0;
  #held = 0;

  constructor(private readonly freed: (caller: Caller) => void = () => undefined) {}

  get sends(): number {
    return this.#sends;
  }

  /** Sends on the wire at most: polls have the places of their own as far as there are polls to make. */
  get mostSends(): number {
    return Math.max(1, this.inFlight - Math.min(this.#own, this.#held));
  }

  /**
   * Polls on the wire at most for a follower that has `asking` of them there: what sends and other polls leave, never
   * less than their own. A due send takes its place although a poll is still there: it waits for no poll.
   */
  mostPolls(asking: number): number {
    return Math.max(this.#own, this.inFlight - this.#sends - (this.#asking - asking));
  }

  /** Whether a place is free that neither sends nor polls of this process want. */
  get isIdle(): boolean {
    return this.#held <= this.#asking && this.#sends + this.#asking < this.inFlight;
  }

  sendLeft(): void {
    this.#sends += 1;
  }

  sendEnded(): void {
    this.#sends -= 1;
    if (this.#held > this.#asking) this.freed('polls');
  }

  /** Taken up to be asked, or put back unasked. */
  held(polls: number): void {
    const before = this.mostSends;
    this.#held += polls;
    if (this.mostSends > before) this.freed('sends');
  }

  pollLeft(): void {
    this.#asking += 1;
  }

  pollEnded(): void {
    this.#asking -= 1;
    this.held(-1);
  }

  get #own(): number {
    return Math.ceil(this.inFlight / POLLS_SHARE);
  }
}

export class SharedWire {
  readonly #projects = new Map<string, ProjectWire>();
  readonly #told = { sends: [], polls: [] } as Record<Caller, ((serviceId: string) => void)[]>;

  of(serviceId: string): ProjectWire {
    let wire = this.#projects.get(serviceId);
    if (wire === undefined) {
      wire = new ProjectWire((caller) => this.#told[caller].forEach((freed) => freed(serviceId)));
      this.#projects.set(serviceId, wire);
    }
    return wire;
  }

  /** Tells that a place came free that callers of this kind may take. */
  onFreed(caller: Caller, freed: (serviceId: string) => void): void {
    this.#told[caller].push(freed);
  }
}
