// One project's sends in this process: those claimed, those on the wire, and what holds them back (rest, circuit,
// rate). Decides how many may leave now and how many more to claim; calls nobody.
import { LONGEST_HELD_MS } from '../decide/throttled-rest.js';
import type { ClaimedSend } from '../store/claim.store.js';
import type { Project } from '../store/project.store.js';
import { ProjectWire } from '../store/shared-wire.js';
import { Circuit } from './circuit.js';
import { Helping } from './helping.js';
import { FIRE_AHEAD_MS } from './leave-on-time.js';
import { TurnQueue } from './turn-queue.js';

export interface QueuedSend extends ClaimedSend {
  /** When it is to be fired. */
  readonly at: number;
  readonly token: string;
  /** On the real clock. */
  readonly claimedAt: number;
}

/** Claimed sends a project may hold here, whatever its rate. */
const MOST_QUEUED = 10_000;
const SAME_REST_MS = 250;
/** Tokens are asked for this long before the first send that needs one. */
const ASK_AHEAD_MS = 500;

/** Of a project. */
export type LaneSettings = Pick<Project, 'inFlight' | 'ratePerSecond' | 'weight'>;

export class Lane {
  readonly queue = new TurnQueue<QueuedSend>();
  readonly circuit = new Circuit();
  readonly helping = new Helping();
  /** In part of what the rate allows: halved when claimed sends had to be given back unfired, doubled when they drain. */
  #share = 1;
  #restingUntil = -Infinity;
  /** As #restingUntil, for what is this process's own. */
  #unusableUntil = -Infinity;

  /** `wire`: its places on the wire, which it shares with looks. */
  constructor(
    private settings: LaneSettings,
    private readonly wire = new ProjectWire(),
  ) {
    this.update(settings);
  }

  get onWire(): number {
    return this.wire.sends;
  }

  update(settings: LaneSettings): void {
    this.settings = settings;
    this.wire.inFlight = settings.inFlight;
  }

  /** Sends it may take in its turn. */
  get weight(): number {
    return this.settings.weight;
  }

  /**
   * Nothing of it leaves before `until`, nor within 5 s for a longer rest: by then the database's row holds it back in
   * every replica, and an operator's start is seen. Returns whether this is news: many answers say the same at once.
   */
  rest(until: number, now: number): boolean {
    const held = Math.min(until, now + LONGEST_HELD_MS);
    if (held <= this.#restingUntil + SAME_REST_MS) return false;
    this.#restingUntil = held;
    return true;
  }

  /** Nothing of it is claimed or leaves here before `until`: for a fault that other processes need not have. */
  restHere(until: number): void {
    this.#unusableUntil = until;
  }

  /** What it rested for is over: it has another key or address. */
  goOn(): void {
    this.#restingUntil = -Infinity;
    this.#unusableUntil = -Infinity;
  }

  /** Its head is due, and waits for a slot on the wire. */
  isFull(now: number): boolean {
    return !this.#hasPlace && this.queue.next(now + FIRE_AHEAD_MS) !== undefined;
  }

  /** Takes the next send to be fired now, with its slot on the wire and its token of the rate. */
  take(now: number, elapsed: number): QueuedSend | undefined {
    const soon = now + FIRE_AHEAD_MS;
    if (now < this.#heldUntil || this.queue.next(soon) === undefined) return undefined;
    if (!this.#hasPlace) return undefined;
    if (this.helping.left(elapsed) < 1 || !this.circuit.admit(elapsed)) return undefined;
    this.helping.take(elapsed);
    this.wire.sendLeft();
    return this.queue.take(soon);
  }

  /** The call ended, or was not made. */
  free(made: boolean): void {
    this.wire.sendEnded();
    if (made) return;
    this.helping.putBack();
    this.circuit.released();
  }

  /** Real milliseconds until something but an answer may let its head go, where its head is due; else undefined. */
  waitMs(now: number, elapsed: number): number | undefined {
    const head = this.queue.peek();
    if (head === undefined || head.at > now + FIRE_AHEAD_MS) return undefined;
    if (!this.#hasPlace) return undefined;
    if (this.circuit.stateAt(elapsed) === 'open') return this.circuit.opensAt - elapsed;
    if (now < this.#heldUntil) return this.#heldUntil - now;
    // Without tokens and free to ask, an asking is under way, and it wakes whoever waits.
    return this.helping.left(elapsed) < 1 ? this.helping.askAgainIn(elapsed) || undefined : undefined;
  }

  /** How many tokens to ask for now: for what leaves within the next moments, before it is due. */
  tokensWanted(now: number, elapsed: number): number {
    const head = this.queue.peek();
    if (head === undefined || head.at > now + ASK_AHEAD_MS || now < this.#heldUntil) return 0;
    if (this.circuit.stateAt(elapsed) === 'open' || this.helping.askAgainIn(elapsed) > 0) return 0;
    const soon = Math.min(this.queue.size, Math.max(1, Math.ceil(this.settings.ratePerSecond / 4)));
    const left = this.helping.left(elapsed);
    return left < Math.ceil(soon / 2) ? soon - left : 0;
  }

  /** How many more to claim. `aheadMs`: how far ahead of their instant sends are claimed. */
  room(aheadMs: number, now: number, elapsed: number): number {
    // None lasts longer: this one is of a time before the clock went back.
    if (this.#restingUntil > now + LONGEST_HELD_MS) this.#restingUntil = -Infinity;
    if (now < this.#heldUntil) return 0;
    if (this.circuit.stateAt(elapsed) === 'open') return 0;
    if (this.circuit.stateAt(elapsed) === 'half-open') return this.queue.size === 0 ? 1 : 0;
    return Math.max(0, this.#capacity(aheadMs) - this.queue.size);
  }

  /** Whether so much has drained that claiming more is worth a statement. */
  wantsMore(aheadMs: number): boolean {
    return this.queue.size <= this.#capacity(aheadMs) / 2;
  }

  /** Takes out what was claimed before `claimedBefore` and still waits though due: it will not leave in time here. */
  giveBack(claimedBefore: number, now: number): QueuedSend[] {
    const stale = this.queue.remove((entry) => entry.claimedAt < claimedBefore && entry.at <= now);
    if (stale.length > 0) this.#share = Math.max(this.#share / 2, 1 / 64);
    return stale;
  }

  /** Whether it is to be looked at soon: it has sends, or holds fewer than it may until it has kept up for a while. */
  get needsCare(): boolean {
    return this.queue.size > 0 || this.onWire > 0 || this.#share < 1;
  }

  /** Claimed sends keep up with their instants. */
  keepsUp(): void {
    this.#share = Math.min(1, this.#share * 2);
  }

  get #hasPlace(): boolean {
    return this.wire.sends < this.wire.mostSends;
  }

  get #heldUntil(): number {
    return Math.max(this.#restingUntil, this.#unusableUntil);
  }

  #capacity(aheadMs: number): number {
    const { inFlight, ratePerSecond } = this.settings;
    const byRate = Math.ceil((ratePerSecond * (aheadMs + 1_000)) / 1_000);
    const most = Math.min(Math.max(byRate, 2 * inFlight), MOST_QUEUED);
    return Math.max(Math.ceil(most * this.#share), Math.min(inFlight, most));
  }
}
