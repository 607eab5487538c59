// Looks that are claimed and not asked about yet, by project: as many at once as the project's places on the wire allow.
// Decides how many more to claim and when that is worth it; asks nobody itself.
import type { DueLook } from '../store/look.store.js';
import type { SharedWire } from '../push-client/shared-wire.js';

/** Claimed of a project; less where its rate keeps them waiting, or where many projects have looks due. */
const ROOM = 512;
const LEAST_ROOM = 64;

interface Line {
  readonly looks: DueLook[];
  asking: number;
  room: number;
  /** The last claim brought as many of it as it might: more may be due. */
  mayHaveMore: boolean;
}

export interface Rooms {
  readonly rooms: ReadonlyMap<string, number>;
  readonly room: number;
}

export interface LookQueueParts {
  readonly wire: SharedWire;
  readonly ask: (look: DueLook) => void;
  /** So much of a project has drained that a claim is worth a statement, and it may have more. */
  readonly drained: () => void;
}

export class LookQueue {
  readonly #lines = new Map<string, Line>();
  #held = 0;
  #room = ROOM;

  constructor(private readonly parts: LookQueueParts) {
    parts.wire.onFreed('looks', (serviceId) => this.#serve(serviceId));
  }

  /** Claimed and not finished. */
  get held(): number {
    return this.#held;
  }

  /** How many more of each project to claim; of any other: `room`. */
  rooms(): Rooms {
    const rooms = new Map<string, number>();
    for (const [serviceId, line] of this.#lines) rooms.set(serviceId, this.#roomIn(serviceId, line));
    return { rooms, room: this.#room };
  }

  /** What a claim with these rooms brought; `isCut`: it ended at its own limit, so that other projects may have more. */
  add(looks: readonly DueLook[], { rooms, room }: Rooms, isCut: boolean): void {
    const found = new Map<string, number>();
    for (const look of looks) {
      this.#lineOf(look.serviceId).looks.push(look);
      found.set(look.serviceId, (found.get(look.serviceId) ?? 0) + 1);
    }
    this.#held += looks.length;
    for (const [serviceId, line] of this.#lines) {
      const count = found.get(serviceId) ?? 0;
      const given = rooms.get(serviceId) ?? room;
      line.mayHaveMore = given <= 0 || isCut || count >= given;
      if (count > 0) this.parts.wire.of(serviceId).held(count);
    }
    // The next claim is to reach more projects, with fewer of each.
    this.#room = isCut ? Math.max(LEAST_ROOM, this.#room / 2) : Math.min(ROOM, this.#room * 2);
    for (const serviceId of found.keys()) this.#serve(serviceId);
  }

  /** One that was given to `ask` is finished. */
  asked(serviceId: string): void {
    const line = this.#lineOf(serviceId);
    line.asking -= 1;
    this.#held -= 1;
    this.parts.wire.of(serviceId).lookEnded();
    // It keeps up with what it claims.
    if (line.asking === 0 && line.looks.length === 0) line.room = Math.min(ROOM, line.room * 2);
    this.#serve(serviceId);
    if (line.asking === 0 && line.looks.length === 0 && line.room === ROOM) this.#lines.delete(serviceId);
  }

  /** Its rate leaves it no turn: what waits is handed out to be put back, and less is claimed from now on. */
  starved(serviceId: string): DueLook[] {
    const line = this.#lineOf(serviceId);
    line.room = Math.max(1, Math.floor(line.room / 2));
    line.mayHaveMore = true;
    return this.#empty(serviceId, line);
  }

  /** Everything that waits, to be put back. */
  clear(): DueLook[] {
    return [...this.#lines].flatMap(([serviceId, line]) => this.#empty(serviceId, line));
  }

  #empty(serviceId: string, line: Line): DueLook[] {
    const looks = line.looks.splice(0);
    this.#held -= looks.length;
    this.parts.wire.of(serviceId).held(-looks.length);
    return looks;
  }

  #lineOf(serviceId: string): Line {
    let line = this.#lines.get(serviceId);
    if (line === undefined) {
      line = { looks: [], asking: 0, room: ROOM, mayHaveMore: false };
      this.#lines.set(serviceId, line);
    }
    return line;
  }

  /** None while more than half of what may wait does: a statement is to bring many. */
  #roomIn(serviceId: string, line: Line): number {
    // Twice what it may ask at once: the next are there when those end.
    const room = Math.min(line.room, Math.max(this.#room, 2 * this.parts.wire.of(serviceId).inFlight));
    const free = room - line.asking;
    return line.looks.length > free / 2 ? 0 : free - line.looks.length;
  }

  #serve(serviceId: string): void {
    const line = this.#lines.get(serviceId);
    if (line === undefined) return;
    const wire = this.parts.wire.of(serviceId);
    while (line.asking < wire.mostLooks(line.asking)) {
      const look = line.looks.shift();
      if (look === undefined) break;
      line.asking += 1;
      wire.lookLeft();
      this.parts.ask(look);
    }
    if (!line.mayHaveMore || this.#roomIn(serviceId, line) === 0) return;
    // Said once: the claim that follows finds out anew.
    line.mayHaveMore = false;
    this.parts.drained();
  }
}
