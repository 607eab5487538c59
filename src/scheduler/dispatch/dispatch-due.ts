// The dispatcher: reads sends a little ahead of their instant and fires each on its millisecond; no project waits for
// another. runOnce() looks ahead; firing and further reads follow the clock and the answers. Never plans, never polls.
import { scheduler } from 'node:timers/promises';
import { v7 } from 'uuid';
import { FullReads } from '../../platform/loops/full-reads.js';
import {
  FRESH_MS,
  lookAhead,
  lookFurther,
  type AheadSend,
  type Further,
  type LookAheadAsk,
} from '../store/send/look-ahead.store.js';
import type { EpochMs } from '../../platform/clock.js';
import type { PushAnswer } from '../push-client/push-api.js';
import type { DispatchParts } from './dispatch-parts.js';
import { HandOff } from './hand-off.js';
import type { ProjectQueue } from './project-queue.js';
import { ProjectQueues } from './project-queues.js';

/** The rest after `fire` failed, real milliseconds. */
const AFTER_FAULT_MS = 250;
/**
 * A send may appear behind the place that was read up to: its plan took long to be committed, or it was given back. So this
 * much of what was read is read again each time.
 */
const FLOOR_BELOW_MS = 5_000;
/** A read from the start that takes longer is made beside the other reads, real milliseconds. */
const SLOW_MS = 100;
/** Sends of one project that a read from the start brings: it is to reach every project; more come by reading further. */
const FIRST_ROOM = 256;
/** An unreachable gateway for which no send waits is no longer reported after this, real milliseconds. */
const UNPROBED_MS = 60_000;

export class DispatchDue {
  readonly #queues: ProjectQueues;
  readonly #handOff: HandOff;
  #round = 0;
  /** The read under way; never rejects. */
  #looking: Promise<unknown> | undefined;
  #firing: Promise<void> | undefined;
  #asking: Promise<void> | undefined;
  readonly #fullReads: FullReads;
  #beside: Promise<void> | undefined;
  /** Everything late was read up to here, of projects without a queue; a queue knows its own place. */
  #floor: EpochMs | null = null;
  /** The slice that was read up to there. */
  #floorSlice: string | undefined;
  #wakeForFull: NodeJS.Timeout | undefined;
  #stopping = false;
  #pumping = false;
  #disarm: (() => void) | undefined;
  #drained: (() => void) | undefined;

  constructor(private readonly parts: DispatchParts) {
    this.#queues = new ProjectQueues(parts, (queue) => this.#freed(queue));
    this.#handOff = new HandOff(parts, this.#queues);
    this.#fullReads = parts.fullReads ?? new FullReads(parts.clock, { everyMs: 0, oneIn: 20 });
    parts.wire.onFreed('sends', (serviceId) => {
      if (this.#queues.of(serviceId) !== undefined) this.#pumpSoon();
    });
  }

  /**
   * Reads what is due up to the look-ahead, from the start. Returns how many sends it found. What is due beyond them is read
   * without a round, each time enough of a project has drained.
   */
  async runOnce(): Promise<number> {
    while (this.#looking !== undefined) await this.#looking;
    const looking = this.#lookAhead();
    this.#looking = looking.catch(() => undefined);
    try {
      return await looking;
    } finally {
      this.#looking = undefined;
      this.#lookFurther();
    }
  }

  async #lookAhead(): Promise<number> {
    if (this.#stopping) return 0;
    await this.#queues.refresh();
    await this.#handOff.unconfirmed.putBack((id) => this.#queues.held.has(id));
    const { clock, batch: limit, wake } = this.parts;
    const ask = this.#ask();
    const elapsed = clock.elapsed();
    const rooms = new Map(
      this.#queues.all.map((queue) => [
        queue.settings.serviceId,
        Math.min(FIRST_ROOM, queue.room(ask.now, elapsed)),
      ]),
    );
    const sends = await this.#read({ ...ask, rooms, room: FIRST_ROOM, held: [...this.#queues.held] });
    if (!(await this.#hold(sends))) return 0;
    const fresh = sends.filter(({ part }) => part === 'fresh').length;
    const late = sends.filter(({ part }) => part === 'late' || part === 'others').length;
    const isLateCut = late >= Math.max(Math.ceil(limit / 2), limit - fresh);
    const isCut = fresh >= limit || isLateCut;
    const floor = ask.now - FRESH_MS - FLOOR_BELOW_MS;
    if (!isLateCut) this.#floor = floor;
    const byService = groupByService(sends);
    for (const queue of this.#queues.all) {
      const { serviceId } = queue.settings;
      const room = rooms.get(serviceId) ?? FIRST_ROOM;
      const lateUpTo = isLateCut ? undefined : floor;
      if (room > 0) queue.sawFirst(byService.get(serviceId) ?? [], { room, isCut, lateUpTo });
    }
    // Projects that it did not reach may have sends due as well.
    if (isCut) wake();
    return sends.length;
  }

  /**
   * Reads what is late from the start, or, while such reads have to walk over too much, from where everything was read up to.
   * Then the next read from the start waits for its time, or is made beside this one.
   */
  async #read(ask: LookAheadAsk): Promise<AheadSend[]> {
    const { sql, wake } = this.parts;
    const { isTime, tookMs, waitMs } = this.#fullReads;
    if (isTime && tookMs <= SLOW_MS) return this.#fullReads.read(() => lookAhead(sql, ask));
    if (isTime) this.#readBeside(ask);
    else {
      clearTimeout(this.#wakeForFull);
      this.#wakeForFull = setTimeout(wake, waitMs).unref();
    }
    const most = ask.now - FRESH_MS - FLOOR_BELOW_MS;
    const ofProjects = new Map(
      this.#queues.all.map((queue) => [queue.settings.serviceId, Math.min(most, queue.lateFloor)]),
    );
    const others = this.#floor === null ? null : Math.min(most, this.#floor);
    return lookAhead(sql, { ...ask, floors: { ofProjects, others } });
  }

  /** Reads only what is late: meanwhile other reads bring what is due soon. */
  #readBeside(ask: LookAheadAsk): void {
    const { sql, log } = this.parts;
    this.#beside ??= this.#fullReads
      .read(() => lookAhead(sql, { ...ask, upTo: ask.now - FRESH_MS }))
      .then(async (sends) => {
        await this.#hold(sends);
        for (const [serviceId, found] of groupByService(sends)) this.#queues.of(serviceId)?.foundLate(found);
      })
      .catch((error: unknown) => log.warn({ err: error }, 'what is late could not be read from the start'))
      .finally(() => (this.#beside = undefined));
  }

  /** Reads on for projects that have drained and of which the last read left some. One read at a time. */
  #lookFurther(): void {
    if (this.#stopping || this.#looking !== undefined) return;
    const [now, elapsed] = [this.parts.clock.now(), this.parts.clock.elapsed()];
    const further = this.#queues.all.flatMap((queue) => queue.further(now, elapsed));
    if (further.length === 0) return;
    this.#looking = this.#readFurther(further)
      // The next read from the start brings the same, and reports what is wrong.
      .catch(() => this.#queues.all.forEach((queue) => queue.forgetPlaces()))
      .finally(() => {
        this.#looking = undefined;
        this.#lookFurther();
      });
  }

  async #readFurther(further: readonly Further[]): Promise<void> {
    const sends = await lookFurther(this.parts.sql, { ...this.#ask(), further });
    if (!(await this.#hold(sends))) return;
    const isCut = sends.length >= this.parts.batch;
    const byService = groupByService(sends);
    for (const part of further)
      this.#queues.of(part.serviceId)?.sawFurther(part, byService.get(part.serviceId) ?? [], isCut);
  }

  #ask() {
    const { clock, aheadMs, batch: limit } = this.parts;
    const now = clock.now();
    const slice = this.parts.slice();
    this.#round += 1;
    const sliceName = `${slice.index}/${slice.of}`;
    // What was read belongs to another slice.
    if (sliceName !== this.#floorSlice) {
      this.#floor = null;
      for (const queue of this.#queues.all) queue.lateFloor = 0;
    }
    this.#floorSlice = sliceName;
    return { now, upTo: now + aheadMs, limit, round: this.#round, slice };
  }

  /** Queues these sends; false: the dispatcher is stopping. */
  async #hold(sends: readonly AheadSend[]): Promise<boolean> {
    // Their revisions are read now, not when they are due. A fault shows again there.
    this.#handOff.revisions.getMany(sends).catch(() => undefined);
    await this.#queues.open(sends);
    if (this.#stopping) return false;
    this.#queues.add(sends);
    this.#pump();
    return true;
  }

  /** Stops firing, forgets what waits here, and resolves when every call in flight is written down. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#disarm?.();
    clearTimeout(this.#wakeForFull);
    await this.#looking;
    await this.#beside;
    await this.#asking;
    await this.#firing;
    if (this.onWire > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    await this.#handOff.idle();
  }

  /** For a database server that may have lost commits; see KeptFires. */
  reconcile(): Promise<void> {
    return this.#handOff.reconcile();
  }

  /** Call it while the database server is the same as before. */
  forgetOld(): void {
    this.#handOff.forgetOld();
  }

  /** Sends on the wire, or whose answer is not written down yet. */
  get onWire(): number {
    return this.#queues.onWire;
  }

  /** How many gateways are called from here, and the projects whose gateway could not be reached lately. */
  gateways(): { called: number; unreachable: string[] } {
    const elapsed = this.parts.clock.elapsed();
    const { all } = this.#queues;
    const unreachable = all
      .filter(
        ({ gate: { circuit } }) =>
          circuit.stateAt(elapsed) !== 'closed' && elapsed < circuit.opensAt + UNPROBED_MS,
      )
      .map(({ settings }) => settings.serviceId);
    return { called: all.length, unreachable };
  }

  /** What each project has here now; `queued`: sends that are not on the wire. */
  queues() {
    const elapsed = this.parts.clock.elapsed();
    return this.#queues.all.map(({ settings, due, wire, gate }) => ({
      serviceId: settings.serviceId,
      queued: due.size,
      onWire: wire.sends,
      circuitOpen: gate.circuit.stateAt(elapsed) !== 'closed',
    }));
  }

  /** The projects that this process cannot call by a fault of ours, each with what to do. */
  unusable(): { readonly serviceId: string; readonly text: string }[] {
    return this.parts.calls.blocks.unusable;
  }

  /** Whether a round is worth it soon although nothing new is due: settings may have changed. */
  get needsCare(): boolean {
    return this.#queues.all.some((queue) => queue.needsCare);
  }

  /** Pumps once for everything that ends in this turn of the event loop: what that makes room for is fired together. */
  #pumpSoon(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    queueMicrotask(() => {
      this.#pumping = false;
      this.#pump();
    });
  }

  /** Takes what may leave now, fires it, and sets the clock for what comes next. */
  #pump(): void {
    this.#disarm?.();
    const { mayLeave, batch, log } = this.parts;
    if (this.#stopping || !mayLeave()) return;
    this.#askForTokens();
    this.#askWhetherBack();
    if (this.#firing !== undefined) return;
    const leaving = this.#queues.take(batch);
    if (leaving.length === 0) {
      this.#disarm = this.#queues.alarm(() => this.#pump());
      return;
    }
    this.#firing = this.#handOff.fire(leaving).catch((error: unknown) => {
      log.error({ err: error, sends: leaving.length }, 'sends could not be fired; they wait');
      return scheduler.wait(AFTER_FAULT_MS);
    });
    void this.#firing.finally(() => {
      this.#firing = undefined;
      this.#pump();
    });
  }

  /** Asks for tokens, once at a time; what they allow is fired at once. */
  #askForTokens(): void {
    this.#asking ??= this.#queues.fetchTokens()?.finally(() => {
      this.#asking = undefined;
      this.#pump();
    });
  }

  #askWhetherBack(): void {
    const { clock } = this.parts;
    const [now, elapsed] = [clock.now(), clock.elapsed()];
    for (const queue of this.#queues.all) if (queue.asksFirst(now, elapsed)) void this.#probe(queue);
  }

  /**
   * Asks a gateway in trouble, for which a send waits, for the result of a message that does not exist: a 404 in the gateway's
   * own form proves that it works again, and costs nobody anything. The circuit hears the answer. Never rejects.
   */
  async #probe({ settings: { serviceId }, gate }: ProjectQueue): Promise<void> {
    const { calls, pushApi } = this.parts;
    const ask = (): Promise<PushAnswer> => pushApi.result(serviceId, v7());
    // That the database is away is reported elsewhere.
    const called = await calls.call(serviceId, 'probe', ask).catch(() => undefined);
    if (called?.kind === 'called') this.#pumpSoon();
    // The next round asks again.
    else gate.circuit.notAsked();
  }

  /** Called when a send has left this queue or came back to it. */
  #freed(queue: ProjectQueue): void {
    if (this.#stopping) {
      if (this.onWire === 0) this.#drained?.();
      return;
    }
    this.#pumpSoon();
    if (!queue.wantsMore) return;
    if (queue.mayHaveMore) this.#lookFurther();
    else if (queue.mayHaveOthers) this.parts.wake();
  }
}

function groupByService(sends: readonly AheadSend[]): ReadonlyMap<string, readonly AheadSend[]> {
  const byService = new Map<string, AheadSend[]>();
  for (const send of sends) {
    const group = byService.get(send.serviceId);
    if (group === undefined) byService.set(send.serviceId, [send]);
    else group.push(send);
  }
  return byService;
}
