// One project's queue: the sends of it that this process has looked ahead to. Decides which leaves next and how many more are
// read; the project's gate decides whether one may leave. Calls nobody.
import { ProjectReads } from '../read-ahead/project-reads.js';
import type { ReadQueue } from '../read-ahead/read-ahead.js';
import type { PlannedSend } from '../store/send/read-work.store.js';
import type { Project } from '../store/project.store.js';
import type { ProjectGate } from '../push-client/blocks/project-gate.js';
import { FIRE_AHEAD_MS } from './leave-on-time.js';
import { TurnQueue } from './turn-queue.js';

export interface QueuedSend extends PlannedSend {
  /** When it is to be fired. */
  readonly at: number;
}

/** Tokens are asked for this long before the first send that needs one. */
const ASK_AHEAD_MS = 500;

export type QueueSettings = Pick<Project, 'serviceId' | 'inFlight' | 'ratePerSecond' | 'weight'>;

export class ProjectQueue implements ReadQueue {
  readonly due = new TurnQueue<QueuedSend>();
  readonly reads = new ProjectReads();
  most = 2_000;

  constructor(
    public settings: QueueSettings,
    /** Shared with every caller of the project. */
    readonly gate: ProjectGate,
  ) {}

  /** Whether a send is due and waits for a place in flight. */
  isFull(now: number): boolean {
    return !this.gate.places.hasPlaceForSend && this.#isDue(now);
  }

  /** Takes the send to be fired next, with a token and a place in flight; undefined: none may leave now. */
  take(now: number, elapsed: number): QueuedSend | undefined {
    if (this.gate.sendWaitsMs(now, elapsed) !== 0) return undefined;
    const entry = this.due.take(now + FIRE_AHEAD_MS);
    if (entry !== undefined) this.gate.sendLeaves(entry.id, elapsed);
    return entry;
  }

  /** Whether a send that is due waits for a good GET of the circuit; if so, the caller has to make the GET. */
  asksFirst(now: number, elapsed: number): boolean {
    return this.gate.blockAt(now) === undefined && this.#isDue(now) && this.gate.circuit.ask(elapsed);
  }

  /** Real milliseconds until a send that is due may leave; undefined: none is due, or it waits for an answer. */
  waitMs(now: number, elapsed: number): number | undefined {
    return this.#isDue(now) ? this.gate.sendWaitsMs(now, elapsed) : undefined;
  }

  /** How many tokens to ask for now, for the sends of the next moments: before they are due. */
  tokensWanted(now: number, elapsed: number): number {
    const { due: tokens } = this.gate.tokens;
    const head = this.due.peek();
    if (head === undefined || head.at > now + ASK_AHEAD_MS || tokens.askAgainIn(elapsed) > 0) return 0;
    if (this.gate.holdOf('send', now, elapsed) !== undefined) return 0;
    const most = Math.max(1, Math.ceil(this.settings.ratePerSecond / 4));
    const soon = Math.min(this.due.size, most, this.gate.mostSends(now, elapsed));
    const left = tokens.left(elapsed);
    return left < Math.ceil(soon / 2) ? soon - left : 0;
  }

  /** How many more sends may be read. */
  room(now: number, elapsed: number): number {
    return Math.max(0, Math.min(this.#capacity, this.gate.mostSends(now, elapsed)) - this.due.size);
  }

  /** Whether so many sends have left that reading more is worth a statement. */
  get wantsMore(): boolean {
    return this.due.size <= this.#capacity / 2;
  }

  /** Whether it has sends: then its settings are to be read again soon. */
  get needsCare(): boolean {
    return this.due.size > 0 || this.gate.places.sends > 0;
  }

  #isDue(now: number): boolean {
    return this.due.next(now + FIRE_AHEAD_MS) !== undefined;
  }

  /** As many as can leave within a second, at least twice as many as may be in flight, at most `most`. */
  get #capacity(): number {
    const { inFlight, ratePerSecond } = this.settings;
    return Math.min(Math.max(Math.ceil(ratePerSecond), 2 * inFlight), this.most);
  }
}
