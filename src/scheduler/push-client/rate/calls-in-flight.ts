// A project's places in flight: this process's sends and polls share the project's bound `inFlight`, as they share its rate
// (pace.store.ts). Counts them and decides who may call; calls nobody.

/** One in this many of a project's calls is reserved for polls, of its rate and of its places in flight. */
export const POLLS_SHARE = 8;

export class ProjectPlaces {
  /** The project's bound, set when its settings are read. */
  inFlight = 1;
  /** These are called when a place is free that sends, or polls, may take. */
  readonly freed: Readonly<Record<'sends' | 'polls', (() => void)[]>> = { sends: [], polls: [] };
  #sends = 0;
  #asking = 0;
  #held = 0;

  get sends(): number {
    return this.#sends;
  }

  /** Whether a send may leave. Places are reserved for polls only while there are polls to make. */
  get hasPlaceForSend(): boolean {
    return this.#sends < this.#mostSends;
  }

  /**
   * Whether a poll may leave, for a follower that has `asking` polls in flight. It may if a place is free, and always as long as the
   * follower has fewer polls in flight than places are reserved. A due send does not wait for such a poll to end.
   */
  hasPlaceForPoll(asking: number): boolean {
    return asking < this.#reservedForPolls || this.#isAnyFree;
  }

  /** Whether a place is free that neither the sends nor the polls of this process want. */
  get isIdle(): boolean {
    return this.#held <= this.#asking && this.#isAnyFree;
  }

  sendLeft(): void {
    this.#sends += 1;
  }

  sendEnded(): void {
    this.#sends -= 1;
    if (this.#held > this.#asking) for (const freed of this.freed.polls) freed();
  }

  /** Counts polls that were read to be made; a negative number: they were given back and not made. */
  held(polls: number): void {
    const before = this.#mostSends;
    this.#held += polls;
    if (this.#mostSends > before) for (const freed of this.freed.sends) freed();
  }

  pollLeft(): void {
    this.#asking += 1;
  }

  pollEnded(): void {
    this.#asking -= 1;
    this.held(-1);
  }

  /** Makes this call in a place of its own. */
  async lend<Answer>(call: () => Promise<Answer>): Promise<Answer> {
    this.held(1);
    this.pollLeft();
    try {
      return await call();
    } finally {
      this.pollEnded();
    }
  }

  get #isAnyFree(): boolean {
    return this.#sends + this.#asking < this.inFlight;
  }

  get #mostSends(): number {
    return Math.max(1, this.inFlight - Math.min(this.#reservedForPolls, this.#held));
  }

  get #reservedForPolls(): number {
    return Math.ceil(this.inFlight / POLLS_SHARE);
  }
}
