// The polls that a follower holds, by project: waiting or under way. As many are under way at once as the project's places on the
// wire allow. Asks nobody itself, and reads nothing.
import { ProjectReads } from '../read-ahead/project-reads.js';
import type { ReadQueue } from '../read-ahead/read-ahead.js';
import type { FoundPoll } from '../store/send/read-work.store.js';
import type { ProjectPlaces } from '../push-client/rate/calls-in-flight.js';

/** The polls of one project. */
class Line implements ReadQueue {
  readonly reads = new ProjectReads();
  readonly waiting: FoundPoll[] = [];
  asking = 0;
  most = Infinity;

  /** `fits`: how many it may hold for its rate. */
  constructor(
    readonly places: ProjectPlaces,
    public fits: number,
  ) {}

  room(): number {
    return Math.max(0, this.#free - this.waiting.length);
  }

  get wantsMore(): boolean {
    return this.waiting.length <= this.#free / 2;
  }

  get #free(): number {
    return Math.min(this.fits, this.most) - this.asking;
  }
}

interface PollQueueDeps {
  /** A project's places in flight, which it has for good. */
  readonly placesOf: (serviceId: string) => ProjectPlaces;
  /** Polls held of a project; fewer where its rate keeps them waiting, or where many projects have polls due. */
  readonly room: number;
  readonly ask: (poll: FoundPoll) => void;
  /** Called when a poll of a project has begun or ended. */
  readonly drained: (serviceId: string) => void;
  /** Called with what is given up unasked. */
  readonly giveBack: (poll: FoundPoll) => void;
}

export class PollQueue {
  readonly #lines = new Map<string, Line>();
  #unasked = 0;

  constructor(private readonly deps: PollQueueDeps) {}

  /** How many polls were read whose asking is not finished. */
  get unasked(): number {
    return this.#unasked;
  }

  get lines(): ReadonlyMap<string, ReadQueue> {
    return this.#lines;
  }

  /** Polls that are not here yet wait for their turn. */
  add(polls: readonly FoundPoll[]): void {
    for (const poll of polls) {
      const line = this.#lineOf(poll.serviceId);
      line.waiting.push(poll);
      line.places.held(1);
      this.#unasked += 1;
    }
    for (const serviceId of new Set(polls.map((poll) => poll.serviceId))) this.#serve(serviceId);
  }

  /** A poll that was given to `ask` has ended; what it found may not be written yet. */
  asked({ serviceId }: FoundPoll): void {
    const line = this.#lineOf(serviceId);
    line.asking -= 1;
    this.#unasked -= 1;
    line.places.pollEnded();
    // It asks as fast as it reads.
    if (line.asking === 0 && line.waiting.length === 0) line.fits = Math.min(this.deps.room, line.fits * 2);
    this.#serve(serviceId);
  }

  /**
   * A poll that was given to `ask` got no turn. With all of its project that waits it is given back, to be read again, and less
   * of the project is read from here on.
   */
  starved(poll: FoundPoll): void {
    const line = this.#lineOf(poll.serviceId);
    line.fits = Math.max(1, Math.floor(line.fits / 2));
    this.deps.giveBack(poll);
    this.#empty(line);
    this.asked(poll);
  }

  /** Nothing more is asked. */
  clear(): void {
    for (const line of this.#lines.values()) this.#empty(line);
  }

  #empty(line: Line): void {
    const polls = line.waiting.splice(0);
    for (const poll of polls) this.deps.giveBack(poll);
    this.#unasked -= polls.length;
    line.places.held(-polls.length);
  }

  #lineOf(serviceId: string): Line {
    let line = this.#lines.get(serviceId);
    if (line === undefined) {
      const places = this.deps.placesOf(serviceId);
      places.freed.polls.push(() => this.#serve(serviceId));
      this.#lines.set(serviceId, (line = new Line(places, this.deps.room)));
    }
    return line;
  }

  #serve(serviceId: string): void {
    const line = this.#lineOf(serviceId);
    while (line.places.hasPlaceForPoll(line.asking)) {
      const poll = line.waiting.shift();
      if (poll === undefined) break;
      line.asking += 1;
      line.places.pollLeft();
      this.deps.ask(poll);
    }
    this.deps.drained(serviceId);
  }
}
