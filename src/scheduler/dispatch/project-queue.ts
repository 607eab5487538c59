// One project's sends in this process: those looked ahead to, those on the wire, and what holds them back (block, circuit,
// rate). Decides how many may leave now and how many more to look ahead to. Calls nobody.
import { ProjectReads } from '../read-ahead/project-reads.js';
import type { ReadQueue } from '../read-ahead/read-ahead.js';
import type { PlannedSend } from '../store/send/read-work.store.js';
import type { Project } from '../store/project.store.js';
import type { ProjectGate } from '../push-client/blocks/project-gate.js';
import { ProjectWire } from '../push-client/rate/calls-in-flight.js';
import { TokenBucket } from '../push-client/rate/token-bucket.js';
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
  readonly tokens = new TokenBucket();
  readonly reads = new ProjectReads();
  most = 2_000;

  constructor(
    public settings: QueueSettings,
    /** Shared with every caller of the project. */
    readonly gate: ProjectGate,
    /** Its places on the wire, shared with polls. */
    readonly wire = new ProjectWire(),
  ) {
    this.update(settings);
  }

  update(settings: QueueSettings): void {
    this.settings = settings;
    this.wire.inFlight = settings.inFlight;
  }

  /** Whether its first send is due and waits for a place on the wire. */
  isFull(now: number): boolean {
    return !this.#hasPlace && this.due.next(now + FIRE_AHEAD_MS) !== undefined;
  }

  /** Takes the next send to be fired now, with its place on the wire and its token of the rate. */
  take(now: number, elapsed: number): QueuedSend | undefined {
    const soon = now + FIRE_AHEAD_MS;
    if (now < this.gate.heldUntil(now) || !this.#hasPlace) return undefined;
    if (this.tokens.left(elapsed) < 1 || !this.gate.circuit.admits(elapsed)) return undefined;
    const entry = this.due.take(soon);
    if (entry === undefined) return undefined;
    this.gate.circuit.admit(entry.id, elapsed);
    this.tokens.take(elapsed);
    this.wire.sendLeft();
    return entry;
  }

  /** Whether a send that is due waits for a good GET; if so, the caller has to make it. */
  asksFirst(now: number, elapsed: number): boolean {
    if (now < this.gate.heldUntil(now) || this.due.next(now + FIRE_AHEAD_MS) === undefined) return false;
    return this.gate.circuit.ask(elapsed);
  }

  /** The call of this send ended, or was not made. */
  free({ id }: Pick<QueuedSend, 'id'>, made: boolean): void {
    this.wire.sendEnded();
    if (made) return;
    this.tokens.putBack();
    this.gate.circuit.released(id);
  }

  /** Real milliseconds until its first send may go, if that is due and does not wait for an answer; else undefined. */
  waitMs(now: number, elapsed: number): number | undefined {
    const head = this.due.peek();
    if (head === undefined || head.at > now + FIRE_AHEAD_MS) return undefined;
    if (!this.#hasPlace) return undefined;
    if (this.gate.circuit.stateAt(elapsed) === 'open') return this.gate.circuit.opensAt - elapsed;
    const heldUntil = this.gate.heldUntil(now);
    if (now < heldUntil) return heldUntil - now;
    // It waits for an answer, which wakes the dispatcher.
    if (!this.gate.circuit.admits(elapsed)) return undefined;
    // Without tokens and free to ask for some, it is being asked for them, which wakes the dispatcher.
    return this.tokens.left(elapsed) < 1 ? this.tokens.askAgainIn(elapsed) || undefined : undefined;
  }

  /** How many tokens to ask for now: for sends that leave within the next moments, before they are due. */
  tokensWanted(now: number, elapsed: number): number {
    const head = this.due.peek();
    if (head === undefined || head.at > now + ASK_AHEAD_MS || now < this.gate.heldUntil(now)) return 0;
    if (!this.gate.circuit.admits(elapsed) || this.tokens.askAgainIn(elapsed) > 0) return 0;
    const most =
      this.gate.circuit.stateAt(elapsed) === 'closed' ? Math.ceil(this.settings.ratePerSecond / 4) : 1;
    const soon = Math.min(this.due.size, Math.max(1, most));
    const left = this.tokens.left(elapsed);
    return left < Math.ceil(soon / 2) ? soon - left : 0;
  }

  /** How many more sends to look ahead to. */
  room(now: number, elapsed: number): number {
    if (now < this.gate.heldUntil(now)) return 0;
    if (this.gate.circuit.stateAt(elapsed) === 'open') return 0;
    if (this.gate.circuit.stateAt(elapsed) === 'half-open') return this.due.size === 0 ? 1 : 0;
    return Math.max(0, this.#capacity - this.due.size);
  }

  /** Whether enough has drained for looking ahead to be worth a statement. */
  get wantsMore(): boolean {
    return this.due.size <= this.#capacity / 2;
  }

  /** Whether its settings are to be read again soon: it has sends. */
  get needsCare(): boolean {
    return this.due.size > 0 || this.wire.sends > 0;
  }

  get #hasPlace(): boolean {
    return this.wire.sends < this.wire.mostSends;
  }

  /** As many as can leave within a second, at least twice as many as may be on the wire, at most `most`. */
  get #capacity(): number {
    const { inFlight, ratePerSecond } = this.settings;
    return Math.min(Math.max(Math.ceil(ratePerSecond), 2 * inFlight), this.most);
  }
}
