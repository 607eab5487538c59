// A project's places in flight: sends and polls of this process share its in-flight bound, as they share its rate
// (pace.store.ts). Counts them and says who may call; calls nobody.
import { POLLS_SHARE } from './pace.store.js';

export class ProjectPlaces {
  /** The project's bound, set as its settings are read. */
  inFlight = 1;
  /** Called whenever a place came free that such callers may take. */
  readonly freed: Readonly<Record<'sends' | 'polls', (() => void)[]>> = { sends: [], polls: [] };
  #sends = 0;
  #asking = 0;
  #held = 0;

  get sends(): number {
    return this.#sends;
  }

  /** Whether a send may leave: polls keep the places reserved for them as long as there are polls to make. */
  get hasPlaceForSend(): boolean {
    return this.#sends < this.#mostSends;
  }

  /**
   * Whether a poll may leave, of a follower that has `asking` of them in flight: to a place that sends and other polls leave,
   * and always to the reserved ones. A due send does not wait for a poll: it leaves although the poll is still there.
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

  /** Counts polls that were taken up to be made; a negative number was put back unmade. */
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

  /** Makes this call on a place. */
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
