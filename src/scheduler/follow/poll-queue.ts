// The polls that a follower holds, by project: those that wait and those in flight. The project's places in flight bound how many are
// made at once. Makes no call itself, and reads nothing.
import { ProjectReads } from '../read-ahead/project-reads.js';
import type { ReadQueue } from '../read-ahead/read-ahead.js';
import type { FoundPoll } from '../store/send/read-work.store.js';
import type { ProjectPlaces } from '../push-client/rate/calls-in-flight.js';

/** The polls of one project. */
class ProjectPolls implements ReadQueue {
  readonly reads = new ProjectReads();
  readonly waiting: FoundPoll[] = [];
  asking = 0;
  most = Infinity;

  /** `limit`: how many it may hold; fewer where the project's rate is too low for them. */
  constructor(
    readonly places: ProjectPlaces,
    public limit: number,
  ) {}

  room(): number {
    return Math.max(0, this.#free - this.waiting.length);
  }

  get wantsMore(): boolean {
    return this.waiting.length <= this.#free / 2;
  }

  get #free(): number {
    return Math.min(this.limit, this.most) - this.asking;
  }
}

interface PollQueueDeps {
  /** A project's places in flight: always the same object for a project. */
  readonly placesOf: (serviceId: string) => ProjectPlaces;
  /** The most polls held of a project; fewer where its rate makes them wait, or where many projects have polls due. */
  readonly room: number;
  readonly ask: (poll: FoundPoll) => void;
  /** Called when a poll of a project has begun or ended. */
  readonly drained: (serviceId: string) => void;
  /** Called with a poll that is given up without a call. */
  readonly giveBack: (poll: FoundPoll) => void;
}

export class PollQueue {
  readonly #projects = new Map<string, ProjectPolls>();
  #unasked = 0;

  constructor(private readonly deps: PollQueueDeps) {}

  /** How many polls are held: waiting or in flight. */
  get unasked(): number {
    return this.#unasked;
  }

  get byService(): ReadonlyMap<string, ReadQueue> {
    return this.#projects;
  }

  /** Adds polls that it does not hold yet, and makes as many as there are places for. */
  add(polls: readonly FoundPoll[]): void {
    for (const poll of polls) {
      const project = this.#of(poll.serviceId);
      project.waiting.push(poll);
      project.places.held(1);
      this.#unasked += 1;
    }
    for (const serviceId of new Set(polls.map((poll) => poll.serviceId))) this.#serve(serviceId);
  }

  /** A poll that was given to `ask` has ended; its row may not be written yet. */
  asked({ serviceId }: FoundPoll): void {
    const project = this.#of(serviceId);
    project.asking -= 1;
    this.#unasked -= 1;
    project.places.pollEnded();
    // Polls are made as fast as they are read.
    if (project.asking === 0 && project.waiting.length === 0)
      project.limit = Math.min(this.deps.room, project.limit * 2);
    this.#serve(serviceId);
  }

  /**
   * A poll that was given to `ask` got no turn. It is given back together with all polls of its project that wait, to be read
   * again, and from now on fewer polls of the project are read.
   */
  gotNoTurn(poll: FoundPoll): void {
    const project = this.#of(poll.serviceId);
    project.limit = Math.max(1, Math.floor(project.limit / 2));
    this.deps.giveBack(poll);
    this.#empty(project);
    this.asked(poll);
  }

  /** Gives back all polls that wait. */
  clear(): void {
    for (const project of this.#projects.values()) this.#empty(project);
  }

  #empty(project: ProjectPolls): void {
    const polls = project.waiting.splice(0);
    for (const poll of polls) this.deps.giveBack(poll);
    this.#unasked -= polls.length;
    project.places.held(-polls.length);
  }

  #of(serviceId: string): ProjectPolls {
    let project = this.#projects.get(serviceId);
    if (project === undefined) {
      const places = this.deps.placesOf(serviceId);
      places.freed.polls.push(() => this.#serve(serviceId));
      this.#projects.set(serviceId, (project = new ProjectPolls(places, this.deps.room)));
    }
    return project;
  }

  #serve(serviceId: string): void {
    const project = this.#of(serviceId);
    while (project.places.hasPlaceForPoll(project.asking)) {
      const poll = project.waiting.shift();
      if (poll === undefined) break;
      project.asking += 1;
      project.places.pollLeft();
      this.deps.ask(poll);
    }
    this.deps.drained(serviceId);
  }
}
