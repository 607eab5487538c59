// Looks that are claimed and not asked about yet, by project: in turns, so many at once. Decides how many more to
// claim; asks nobody itself.
import type { DueLook } from '../store/look.store.js';

/** GETs of one project at once: the dispatcher's calls come first. */
const PER_PROJECT = 32;
/** Over all projects. */
const AT_ONCE = 256;
/** Claimed ahead of a project; less where its rate keeps them waiting, or where many projects have looks due. */
const ROOM = 512;

interface Line {
  readonly looks: DueLook[];
  asking: number;
  /** In turn to ask. */
  inTurn: boolean;
  room: number;
}

export class LookQueue {
  readonly #lines = new Map<string, Line>();
  readonly #turns: Line[] = [];
  #asking = 0;
  #waiting = 0;
  #room = ROOM;

  constructor(private readonly ask: (look: DueLook) => void) {}

  /** Claimed and not finished. */
  get held(): number {
    return this.#asking + this.#waiting;
  }

  /** How many more of each project to claim; of any other: `room`. */
  rooms(): { rooms: ReadonlyMap<string, number>; room: number } {
    const rooms = new Map<string, number>();
    for (const [serviceId, line] of this.#lines) {
      const room = Math.min(line.room, this.#room);
      rooms.set(serviceId, Math.max(0, room - line.asking - line.looks.length));
    }
    return { rooms, room: this.#room };
  }

  /** Whether the last claim brought as many as it might: then the next is to reach more projects, with fewer of each. */
  claimed(isFull: boolean): void {
    this.#room = isFull ? Math.max(2 * PER_PROJECT, this.#room / 2) : Math.min(ROOM, this.#room * 2);
  }

  add(looks: readonly DueLook[]): void {
    for (const look of looks) {
      const line = this.#lineOf(look.serviceId);
      line.looks.push(look);
      this.#waiting += 1;
      this.#queueUp(line);
    }
    this.#serve();
  }

  /** One that was given to `ask` is finished. */
  asked(serviceId: string): void {
    const line = this.#lineOf(serviceId);
    line.asking -= 1;
    this.#asking -= 1;
    if (line.asking === 0 && line.looks.length === 0) {
      if (line.room >= ROOM) this.#lines.delete(serviceId);
      // It keeps up with what it claims.
      else line.room = Math.min(ROOM, line.room * 2);
    }
    this.#queueUp(line);
    this.#serve();
  }

  /** Its rate leaves it no turn: what waits is handed out to be put back, and less is claimed from now on. */
  starved(serviceId: string): DueLook[] {
    const line = this.#lineOf(serviceId);
    line.room = Math.max(1, Math.floor(line.room / 2));
    this.#waiting -= line.looks.length;
    return line.looks.splice(0);
  }

  /** Everything that waits, to be put back. */
  clear(): DueLook[] {
    this.#waiting = 0;
    return [...this.#lines.values()].flatMap((line) => line.looks.splice(0));
  }

  #lineOf(serviceId: string): Line {
    let line = this.#lines.get(serviceId);
    if (line === undefined) {
      line = { looks: [], asking: 0, inTurn: false, room: ROOM };
      this.#lines.set(serviceId, line);
    }
    return line;
  }

  #queueUp(line: Line): void {
    if (line.inTurn || line.looks.length === 0 || line.asking >= PER_PROJECT) return;
    line.inTurn = true;
    this.#turns.push(line);
  }

  #serve(): void {
    while (this.#asking < AT_ONCE) {
      const line = this.#turns.shift();
      if (line === undefined) return;
      line.inTurn = false;
      const look = line.looks.shift();
      if (look === undefined) continue;
      line.asking += 1;
      this.#asking += 1;
      this.#waiting -= 1;
      this.#queueUp(line);
      this.ask(look);
    }
  }
}
