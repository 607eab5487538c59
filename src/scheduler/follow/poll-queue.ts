// The polls that a follower holds, by project: waiting, under way, or answered and not written yet. As many are under way at
// once as the project's places on the wire allow. Decides how many more to read and when a read is worth it; asks nobody
// itself.
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { ReadPlace } from '../store/send/look-ahead.store.js';
import type { DuePoll, FoundPoll, PollAsk } from '../store/send/poll.store.js';
import type { SharedWire } from '../push-client/rate/calls-in-flight.js';

/** Polls held of a project; fewer where its rate keeps them waiting, or where many projects have polls due. */
const ROOM = 512;
const LEAST_ROOM = 64;
/** Polls of one project that a read from the start brings; more come by reading on. So one project never fills it [500]. */
const FIRST_ROOM = 499;
const [LAST_CHUNK, LAST_ID] = [2_147_483_647, 'ffffffff-ffff-ffff-ffff-ffffffffffff'];

/** The polls of one project. */
class Line {
  readonly waiting: DuePoll[] = [];
  asking = 0;
  /** All that it holds, so that none of them is taken up twice. */
  readonly ids = new Set<string>();
  /** The last read brought as much of this project as it was allowed to: more may be due. */
  mayHaveMore = false;
  /** Everything before this place was read, where that is not as far as for the other projects. */
  place: ReadPlace | undefined;

  constructor(public room: number) {}
}

/** What to read: at most `rooms` of each project, `room` of any other, and nothing that is held of the projects with room. */
type Wanted = Required<Pick<PollAsk, 'rooms' | 'room' | 'held' | 'further'>>;

interface PollQueueParts {
  readonly wire: SharedWire;
  /** Polls held of a project [512]. */
  readonly room?: number;
  readonly ask: (poll: DuePoll) => void;
  /** Enough polls of a project have drained to be worth a reading statement, and there may be more of them. */
  readonly drained: () => void;
}

/** Before everything. */
const START: ReadPlace = { at: 0, chunk: -1, id: '00000000-0000-0000-0000-000000000000' };
/** After everything that is due at this instant. */
const behind = (at: EpochMs): ReadPlace => ({ at, chunk: LAST_CHUNK, id: LAST_ID });

export class PollQueue {
  readonly #lines = new Map<string, Line>();
  readonly #most: number;
  #room: number;
  #unasked = 0;
  /** Everything that was due at this instant was read, except of lines with a place of their own. */
  #readUpTo: EpochMs | undefined;

  constructor(private readonly parts: PollQueueParts) {
    this.#most = parts.room ?? ROOM;
    this.#room = this.#most;
    parts.wire.onFreed('polls', (serviceId) => this.#serve(serviceId));
  }

  /** How many polls were read whose asking is not finished. */
  get unasked(): number {
    return this.#unasked;
  }

  /** Whether a read may begin elsewhere than at the start. */
  get isReadUpTo(): boolean {
    return this.#readUpTo !== undefined;
  }

  /** What the next read is to bring. `isFurther`: beyond the last read that reached everything, if there was one. */
  wanted(isFurther: boolean): Wanted {
    const readUpTo = isFurther ? this.#readUpTo : undefined;
    const most = readUpTo === undefined ? FIRST_ROOM : Infinity;
    const rooms = new Map<string, number>();
    const places = new Map<string, ReadPlace>();
    const held: string[] = [];
    for (const [serviceId, line] of this.#lines) {
      const room = Math.min(this.#roomIn(serviceId, line), most);
      rooms.set(serviceId, room);
      if (readUpTo === undefined) {
        if (room > 0) for (const id of line.ids) held.push(id);
      } else if (line.place !== undefined) places.set(serviceId, line.place);
    }
    const further = readUpTo === undefined ? undefined : { places, readUpTo };
    return { rooms, room: Math.min(this.#room, most), held, further };
  }

  /** Takes up what a read brought as of `now`; `isCut`: it ended at its own limit, so that other projects may have more due. */
  add(polls: readonly FoundPoll[], { rooms, room }: Wanted, isCut: boolean, now: EpochMs): void {
    const found = this.#keep(polls);
    for (const [serviceId, line] of this.#lines) {
      const { count = 0, place } = found.get(serviceId) ?? {};
      const given = rooms.get(serviceId) ?? room;
      line.mayHaveMore = given <= 0 || isCut || count >= given;
      if (!line.mayHaveMore) line.place = undefined;
      else line.place = place ?? line.place ?? this.#readTo;
      this.#dropIdle(serviceId, line);
    }
    if (!isCut) this.#readUpTo = now;
    // Projects that it did not reach are read from where they had been read up to before, or from the start.
    else this.#readUpTo ??= START.at;
    // The next read is to reach more projects, with fewer of each.
    const least = Math.min(LEAST_ROOM, this.#most);
    this.#room = isCut ? Math.max(least, this.#room / 2) : Math.min(this.#most, this.#room * 2);
    for (const serviceId of found.keys()) this.#serve(serviceId);
  }

  /** Polls that are not here already wait for their turn. Returns how many were read of each project, and up to where. */
  #keep(
    polls: readonly FoundPoll[],
  ): ReadonlyMap<string, { readonly count: number; readonly place: ReadPlace }> {
    const found = new Map<string, { count: number; place: ReadPlace }>();
    for (const poll of polls) {
      const { serviceId, id, nextAt: at, chunk } = poll;
      found.set(serviceId, { count: (found.get(serviceId)?.count ?? 0) + 1, place: { at, chunk, id } });
      const line = this.#lineOf(serviceId);
      if (line.ids.has(id)) continue;
      line.ids.add(id);
      line.waiting.push(poll);
      this.#unasked += 1;
      this.parts.wire.of(serviceId).held(1);
    }
    return found;
  }

  get #readTo(): ReadPlace {
    return this.#readUpTo === undefined ? START : behind(this.#readUpTo);
  }

  /** Its answer put it off until `at`: it is read again then, even if its project was read up to a later instant. */
  putOff({ serviceId }: DuePoll, at: EpochMs): void {
    const line = this.#lineOf(serviceId);
    const before = line.place?.at ?? this.#readUpTo;
    if (before !== undefined && at <= before) line.place = behind(at - 1);
  }

  /** A poll that was given to `ask` has ended; what it found may not be written yet. */
  asked({ serviceId }: DuePoll): void {
    const line = this.#lineOf(serviceId);
    line.asking -= 1;
    this.#unasked -= 1;
    this.parts.wire.of(serviceId).pollEnded();
    // It asks as fast as it reads.
    if (line.asking === 0 && line.waiting.length === 0) line.room = Math.min(this.#most, line.room * 2);
    this.#serve(serviceId);
  }

  /** What it found is written: it may be read again. */
  forget({ serviceId, id }: DuePoll): void {
    const line = this.#lines.get(serviceId);
    if (line === undefined) return;
    line.ids.delete(id);
    this.#dropIdle(serviceId, line);
  }

  /**
   * A poll that was given to `ask` got no turn. With all of its project that waits it is forgotten, to be read again, and less
   * of the project is read from here on.
   */
  starved(poll: DuePoll): void {
    const line = this.#lineOf(poll.serviceId);
    line.room = Math.max(1, Math.floor(line.room / 2));
    line.mayHaveMore = true;
    line.ids.delete(poll.id);
    this.#empty(poll.serviceId, line);
    this.asked(poll);
  }

  /** Nothing more is asked. */
  clear(): void {
    for (const [serviceId, line] of this.#lines) this.#empty(serviceId, line);
  }

  #dropIdle(serviceId: string, { ids, room, place }: Line): void {
    if (ids.size === 0 && room === this.#most && place === undefined) this.#lines.delete(serviceId);
  }

  #empty(serviceId: string, line: Line): void {
    const polls = line.waiting.splice(0);
    line.place = START;
    for (const { id } of polls) line.ids.delete(id);
    this.#unasked -= polls.length;
    this.parts.wire.of(serviceId).held(-polls.length);
  }

  #lineOf(serviceId: string): Line {
    let line = this.#lines.get(serviceId);
    if (line === undefined) this.#lines.set(serviceId, (line = new Line(this.#most)));
    return line;
  }

  /** How many more to read of it: none while more than half of what may wait does, so that one statement brings many. */
  #roomIn(serviceId: string, line: Line): number {
    // At least twice what it may ask at once: the next polls are here when those end.
    const room = Math.min(line.room, Math.max(this.#room, 2 * this.parts.wire.of(serviceId).inFlight));
    const free = room - line.asking;
    return line.waiting.length > free / 2 ? 0 : free - line.waiting.length;
  }

  #serve(serviceId: string): void {
    const line = this.#lines.get(serviceId);
    if (line === undefined) return;
    const wire = this.parts.wire.of(serviceId);
    while (line.asking < wire.mostPolls(line.asking)) {
      const poll = line.waiting.shift();
      if (poll === undefined) break;
      line.asking += 1;
      wire.pollLeft();
      this.parts.ask(poll);
    }
    if (!line.mayHaveMore || this.#roomIn(serviceId, line) === 0) return;
    // Said once: the read that follows finds it out again.
    line.mayHaveMore = false;
    this.parts.drained();
  }
}
