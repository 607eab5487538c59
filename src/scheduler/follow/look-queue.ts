// The looks that a follower holds, by project: read and not asked about yet, under way, or found and not yet written. As
// many are under way at once as the project's places on the wire allow. Decides how many more to read and when that is
// worth it; asks nobody itself.
import type { DueLook } from '../store/look.store.js';
import type { SharedWire } from '../push-client/shared-wire.js';

/** Of a project; less where its rate keeps them waiting, or where many projects have looks due. */
const ROOM = 512;
const LEAST_ROOM = 64;

interface Line {
  readonly waiting: DueLook[];
  asking: number;
  /** Of all that it holds: none of them is read once more. */
  readonly ids: Set<string>;
  room: number;
  /** The last read brought as many of it as it might: more may be due. */
  mayHaveMore: boolean;
}

/** What to read. */
export interface Wanted {
  /** How many more of each project; of any other: `room`. */
  readonly rooms: ReadonlyMap<string, number>;
  readonly room: number;
  /** Not these, of the projects with room. */
  readonly held: readonly string[];
}

export interface LookQueueParts {
  readonly wire: SharedWire;
  /** Of a project; by default 512. */
  readonly room?: number;
  readonly ask: (look: DueLook) => void;
  /** So much of a project has drained that a read is worth a statement, and it may have more. */
  readonly drained: () => void;
}

export class LookQueue {
  readonly #lines = new Map<string, Line>();
  readonly #most: number;
  #room: number;
  #unasked = 0;

  constructor(private readonly parts: LookQueueParts) {
    this.#most = parts.room ?? ROOM;
    this.#room = this.#most;
    parts.wire.onFreed('looks', (serviceId) => this.#serve(serviceId));
  }

  /** Read and not finished asking about. */
  get unasked(): number {
    return this.#unasked;
  }

  wanted(): Wanted {
    const rooms = new Map<string, number>();
    const held: string[] = [];
    for (const [serviceId, line] of this.#lines) {
      const room = this.#roomIn(serviceId, line);
      rooms.set(serviceId, room);
      if (room > 0) for (const id of line.ids) held.push(id);
    }
    return { rooms, room: this.#room, held };
  }

  /** What a read of these brought; `isCut`: it ended at its own limit, so that other projects may have more. */
  add(looks: readonly DueLook[], { rooms, room }: Wanted, isCut: boolean): void {
    const found = new Map<string, number>();
    for (const look of looks) {
      const line = this.#lineOf(look.serviceId);
      line.waiting.push(look);
      line.ids.add(look.id);
      found.set(look.serviceId, (found.get(look.serviceId) ?? 0) + 1);
    }
    this.#unasked += looks.length;
    for (const [serviceId, line] of this.#lines) {
      const count = found.get(serviceId) ?? 0;
      const given = rooms.get(serviceId) ?? room;
      line.mayHaveMore = given <= 0 || isCut || count >= given;
      if (count > 0) this.parts.wire.of(serviceId).held(count);
    }
    // The next read is to reach more projects, with fewer of each.
    const least = Math.min(LEAST_ROOM, this.#most);
    this.#room = isCut ? Math.max(least, this.#room / 2) : Math.min(this.#most, this.#room * 2);
    for (const serviceId of found.keys()) this.#serve(serviceId);
  }

  /** One that was given to `ask` is finished; what it found may not be written yet. */
  asked({ serviceId }: DueLook): void {
    const line = this.#lineOf(serviceId);
    line.asking -= 1;
    this.#unasked -= 1;
    this.parts.wire.of(serviceId).lookEnded();
    // It keeps up with what it reads.
    if (line.asking === 0 && line.waiting.length === 0) line.room = Math.min(this.#most, line.room * 2);
    this.#serve(serviceId);
  }

  /** What it found is written: it may be read again. */
  forget({ serviceId, id }: DueLook): void {
    const line = this.#lines.get(serviceId);
    line?.ids.delete(id);
    if (line?.ids.size === 0 && line.room === this.#most) this.#lines.delete(serviceId);
  }

  /** One that was given to `ask` was left no turn: with what waits it is forgotten, to be read again, and less is read from now on. */
  starved(look: DueLook): void {
    const line = this.#lineOf(look.serviceId);
    line.room = Math.max(1, Math.floor(line.room / 2));
    line.mayHaveMore = true;
    line.ids.delete(look.id);
    this.#empty(look.serviceId, line);
    this.asked(look);
  }

  /** Nothing more is asked. */
  clear(): void {
    for (const [serviceId, line] of this.#lines) this.#empty(serviceId, line);
  }

  #empty(serviceId: string, line: Line): void {
    const looks = line.waiting.splice(0);
    for (const { id } of looks) line.ids.delete(id);
    this.#unasked -= looks.length;
    this.parts.wire.of(serviceId).held(-looks.length);
  }

  #lineOf(serviceId: string): Line {
    let line = this.#lines.get(serviceId);
    if (line === undefined) {
      line = { waiting: [], asking: 0, ids: new Set(), room: this.#most, mayHaveMore: false };
      this.#lines.set(serviceId, line);
    }
    return line;
  }

  /** None while more than half of what may wait does: a statement is to bring many. */
  #roomIn(serviceId: string, line: Line): number {
    // Twice what it may ask at once: the next are there when those end.
    const room = Math.min(line.room, Math.max(this.#room, 2 * this.parts.wire.of(serviceId).inFlight));
    const free = room - line.asking;
    return line.waiting.length > free / 2 ? 0 : free - line.waiting.length;
  }

  #serve(serviceId: string): void {
    const line = this.#lines.get(serviceId);
    if (line === undefined) return;
    const wire = this.parts.wire.of(serviceId);
    while (line.asking < wire.mostLooks(line.asking)) {
      const look = line.waiting.shift();
      if (look === undefined) break;
      line.asking += 1;
      wire.lookLeft();
      this.parts.ask(look);
    }
    if (!line.mayHaveMore || this.#roomIn(serviceId, line) === 0) return;
    // Said once: the read that follows finds out anew.
    line.mayHaveMore = false;
    this.parts.drained();
  }
}
