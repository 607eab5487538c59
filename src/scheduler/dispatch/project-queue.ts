// One project's sends in this process: those looked ahead to, those on the wire, and what holds them back (block, circuit,
// rate). Decides how many may leave now and how many more to look ahead to; calls nobody.
import type { AheadSend, Further, PlannedSend, ReadPlace } from '../store/send/look-ahead.store.js';
import type { Project } from '../store/project.store.js';
import type { ProjectGate } from '../push-client/project-gate.js';
import { ProjectWire } from '../push-client/shared-wire.js';
import { TokenBucket } from '../push-client/token-bucket.js';
import { FIRE_AHEAD_MS } from './leave-on-time.js';
import { TurnQueue } from './turn-queue.js';

export interface QueuedSend extends PlannedSend {
  /** When it is to be fired. */
  readonly at: number;
}

/** Tokens are asked for this long before the first send that needs one. */
const ASK_AHEAD_MS = 500;

/** Of a project. */
export type QueueSettings = Pick<Project, 'serviceId' | 'inFlight' | 'ratePerSecond' | 'weight'>;

export class ProjectQueue {
  readonly due = new TurnQueue<QueuedSend>();
  readonly tokens = new TokenBucket();
  /** Sends that may wait here, whatever the rate: each read from the start passes over all of them. */
  most = 2_000;
  /** The last read may have left some of others' that are late, which a read from the start alone brings. */
  mayHaveOthers = false;
  #lateReadTo = 0;
  /** Where the last read ended that may have left some. */
  readonly #left = new Map<Further['part'], ReadPlace>();

  constructor(
    public settings: QueueSettings,
    /** Shared with everybody who calls the project. */
    readonly gate: ProjectGate,
    /** Its places on the wire, which it shares with polls. */
    readonly wire = new ProjectWire(),
  ) {
    this.update(settings);
  }

  update(settings: QueueSettings): void {
    this.settings = settings;
    this.wire.inFlight = settings.inFlight;
  }

  /** Its head is due, and waits for a slot on the wire. */
  isFull(now: number): boolean {
    return !this.#hasPlace && this.due.next(now + FIRE_AHEAD_MS) !== undefined;
  }

  /** Takes the next send to be fired now, with its slot on the wire and its token of the rate. */
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

  /** Whether a send that is due waits for a good GET, which the caller makes then. */
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

  /** Real milliseconds until something but an answer may let its head go, where its head is due; else undefined. */
  waitMs(now: number, elapsed: number): number | undefined {
    const head = this.due.peek();
    if (head === undefined || head.at > now + FIRE_AHEAD_MS) return undefined;
    if (!this.#hasPlace) return undefined;
    if (this.gate.circuit.stateAt(elapsed) === 'open') return this.gate.circuit.opensAt - elapsed;
    const heldUntil = this.gate.heldUntil(now);
    if (now < heldUntil) return heldUntil - now;
    // The answer it waits for wakes whoever waits.
    if (!this.gate.circuit.admits(elapsed)) return undefined;
    // Without tokens and free to ask, an asking is under way, and it wakes whoever waits.
    return this.tokens.left(elapsed) < 1 ? this.tokens.askAgainIn(elapsed) || undefined : undefined;
  }

  /** How many tokens to ask for now: for what leaves within the next moments, before it is due. */
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

  /** How many more to look ahead to. */
  room(now: number, elapsed: number): number {
    if (now < this.gate.heldUntil(now)) return 0;
    if (this.gate.circuit.stateAt(elapsed) === 'open') return 0;
    if (this.gate.circuit.stateAt(elapsed) === 'half-open') return this.due.size === 0 ? 1 : 0;
    return Math.max(0, this.#capacity - this.due.size);
  }

  /** What a read from the start brought that had `room` for so many; `isCut`: it ended at its own limit. */
  sawFirst(sends: readonly AheadSend[], room: number, isCut: boolean): void {
    const [fresh, late] = [partOf(sends, 'fresh'), partOf(sends, 'late')];
    const others = partOf(sends, 'others').length;
    const lateIsCut = isCut || late.length + others >= Math.max(Math.ceil(room / 2), room - fresh.length);
    this.#leave('fresh', fresh.at(-1), isCut || fresh.length >= room);
    this.#leave('late', late.at(-1), lateIsCut);
    this.mayHaveOthers = lateIsCut && others > 0;
  }

  /**
   * Up to here everything late of it was read, from wherever the read began, and has gone or waits here: a read that begins
   * here overlooks only what became late behind it.
   */
  get lateFloor(): number {
    return Math.min(this.#lateReadTo, this.due.earliest - 1);
  }

  set lateFloor(floor: number) {
    this.#lateReadTo = floor;
  }

  /** As sawFirst(); `upTo`: all that is late of all projects was read, but for their rooms, up to here at least. */
  sawLate(sends: readonly AheadSend[], room: number, upTo: number | undefined): void {
    const late = sends.filter(({ part }) => part === 'late' || part === 'others');
    const isCut = upTo === undefined || late.length >= Math.ceil(room / 2);
    const last = partOf(sends, 'late').at(-1);
    if (!isCut) this.#lateReadTo = upTo;
    else if (last !== undefined) this.#lateReadTo = last.handOffAt - 1;
  }

  /** A read from the start found these, which a read from here on had not. */
  foundLate([first]: readonly AheadSend[]): void {
    if (first !== undefined) this.#lateReadTo = Math.min(this.#lateReadTo, first.handOffAt - 1);
  }

  /** What there may be further on, where there is room and so much has drained that a read is worth it. */
  further(now: number, elapsed: number): Further[] {
    const { serviceId } = this.settings;
    const room = this.#left.size > 0 && this.wantsMore ? this.room(now, elapsed) : 0;
    if (room === 0) return [];
    return [...this.#left].map(([part, after]) => ({
      serviceId,
      part,
      // What is late has half of the room beside what is not.
      room: part === 'late' && this.#left.size > 1 ? Math.ceil(room / 2) : room,
      after,
    }));
  }

  /** What a read further on brought. */
  sawFurther({ part, room, after }: Further, sends: readonly AheadSend[], isCut: boolean): void {
    const found = partOf(sends, part);
    this.#leave(part, found.at(-1), isCut || found.length >= room, after);
  }

  /** A read from the start is to find out anew what there is. */
  forgetPlaces(): void {
    this.#left.clear();
  }

  /** Whether a read further on may bring some. */
  get mayHaveMore(): boolean {
    return this.#left.size > 0;
  }

  #leave(part: Further['part'], last: AheadSend | undefined, isCut: boolean, before?: ReadPlace): void {
    const place = last === undefined ? before : { at: last.handOffAt, chunk: last.chunk, id: last.id };
    if (isCut && place !== undefined) this.#left.set(part, place);
    else this.#left.delete(part);
  }

  /** Whether so much has drained that looking ahead is worth a statement. */
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

  /** What can leave within a second, and what may be on the wire twice. */
  get #capacity(): number {
    const { inFlight, ratePerSecond } = this.settings;
    return Math.min(Math.max(Math.ceil(ratePerSecond), 2 * inFlight), this.most);
  }
}

function partOf(sends: readonly AheadSend[], part: AheadSend['part']): AheadSend[] {
  return sends.filter((send) => send.part === part);
}
