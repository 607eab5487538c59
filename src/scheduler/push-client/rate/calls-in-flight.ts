// The calls that this process has on the wire, by project: sends and polls share the project's in-flight bound, as they share
// its rate (pace.store.ts). Counts them and says who may call; calls nobody.
import { POLLS_SHARE } from './pace.store.js';

type Caller = 'sends' | 'polls';

/** Where the bounds of projects are read. */
export interface ProjectPlaces {
  getMany(serviceIds: readonly string[]): Promise<ReadonlyMap<string, { readonly inFlight: number }>>;
}

/** One project's places on the wire. */
export class ProjectWire {
  /** The project's bound, set by the reader of its settings. */
  inFlight = 1;
  #sends = 0;
  #asking = 0;
  #held = 0;

  constructor(private readonly freed: (caller: Caller) => void = () => undefined) {}

  get sends(): number {
    return this.#sends;
  }

  /** How many sends may be on the wire: polls keep the places reserved for them as long as there are polls to make. */
  get mostSends(): number {
    return Math.max(1, this.inFlight - Math.min(this.#reservedForPolls, this.#held));
  }

  /**
   * How many polls a follower may have on the wire that has `asking` of them there: what sends and other polls leave, but
   * never less than the reserved places. A due send does not wait for a poll: it leaves although the poll is still there.
   */
  mostPolls(asking: number): number {
    return Math.max(this.#reservedForPolls, this.inFlight - this.#sends - (this.#asking - asking));
  }

  /** Whether a place is free that neither the sends nor the polls of this process want. */
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

  /** Counts polls that were taken up to be made; a negative number was put back unmade. */
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

  get #reservedForPolls(): number {
    return Math.ceil(this.inFlight / POLLS_SHARE);
  }
}

export class SharedWire {
  readonly #projects = new Map<string, ProjectWire>();
  readonly #onFreed: Record<Caller, ((serviceId: string) => void)[]> = { sends: [], polls: [] };

  of(serviceId: string): ProjectWire {
    let wire = this.#projects.get(serviceId);
    if (wire === undefined) {
      wire = new ProjectWire((caller) => this.#onFreed[caller].forEach((freed) => freed(serviceId)));
      this.#projects.set(serviceId, wire);
    }
    return wire;
  }

  /** Calls `freed` whenever a place came free that callers of this kind may take. */
  onFreed(caller: Caller, freed: (serviceId: string) => void): void {
    this.#onFreed[caller].push(freed);
  }

  /** Learns the bounds of these projects. */
  async learn(projects: ProjectPlaces, serviceIds: Iterable<string>): Promise<void> {
    const known = await projects.getMany([...new Set(serviceIds)]);
    for (const [serviceId, { inFlight }] of known) this.of(serviceId).inFlight = inFlight;
  }
}
