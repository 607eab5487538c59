// The dispatcher: reads sends a little ahead of their instant, fires each on its millisecond, and lets one project never
// wait for another. runOnce() looks ahead; firing, and reading on, follow the clock and the answers. Never plans, never polls.
import { scheduler } from 'node:timers/promises';
import { v7 } from 'uuid';
import { BatchWriter } from '../../platform/database/batch-writer.js';
import { WHOLE, type Slice } from '../decide/lifecycle/slice.js';
import { recordAnswers, type RecordedAnswer } from '../store/send/answer.store.js';
import { lookAhead, lookFurther, type AheadSend, type Further } from '../store/send/look-ahead.store.js';
import { EVERY_DAY, type Days } from '../store/send/work-days.store.js';
import { askWhetherBack } from '../push-client/ask-whether-back.js';
import { SharedWire } from '../push-client/shared-wire.js';
import { fetchTokens, tokenWishes } from './fetch-tokens.js';
import { HandOff, type HandOffParts } from './hand-off.js';
import { keepAnswer } from './keep-answer.js';
import { ProjectQueue, type QueueSettings, type QueuedSend } from './project-queue.js';
import type { ProjectCalls } from '../push-client/project-calls.js';
import { RevisionCache } from './revision-cache.js';
import { takeInTurns } from './take-in-turns.js';
import { wakeFor } from './wake-for.js';

export interface DispatchParts extends Omit<HandOffParts, 'recorder' | 'revisions' | 'replica' | 'mayLeave'> {
  /** This process, by an id that no other has or had; default drawn. */
  readonly replica?: string;
  /** Default: always. */
  readonly mayLeave?: (firedAt?: number) => boolean;
  /** Ours of the sends; default all. */
  readonly slice?: () => Slice;
  /** Those that may hold work; default all. */
  readonly days?: () => Promise<Days>;
  /** The way to the gateways, shared with all who call them. */
  readonly calls: ProjectCalls;
  /** Sends read, and fired, by one statement. */
  readonly batch: number;
  /** The places on the wire that sends share with the looks of this process; without it they have them alone. */
  readonly wire?: SharedWire;
  /** Asks the loop for a round. */
  readonly wake: () => void;
  /** After answers were written: there is something to publish. */
  readonly told?: () => void;
  /** Told of every answer but a taken one, for the metrics. */
  readonly notTaken?: (serviceId: string, code: string) => void;
}

export interface QueueState {
  readonly serviceId: string;
  /** Here, and not on the wire. */
  readonly queued: number;
  readonly onWire: number;
  readonly circuitOpen: boolean;
}

/** The rest after `fire` failed, real milliseconds. */
const AFTER_FAULT_MS = 250;
/** Sends that wait here, of all projects: each read from the start names them to the database. */
const MOST_HELD = 10_000;
/** Sends of a project that a read from the start brings: it is to reach every project, and others read further on. */
const FIRST_ROOM = 256;

const ENDED = [() => undefined, () => undefined] as const;

/** Without a send to probe it with, an unreachable gateway is forgotten after this, real milliseconds. */
const UNPROBED_MS = 60_000;

export class DispatchDue {
  readonly #queues = new Map<string, ProjectQueue>();
  readonly #recorder: BatchWriter<RecordedAnswer>;
  readonly #revisions: RevisionCache;
  readonly #handOff: HandOff;
  readonly #wire: SharedWire;
  readonly #mayLeave: (firedAt?: number) => boolean;
  /** Sends that are here, from the look ahead until they are written down or forgotten: one entry each. */
  readonly #held = new Set<string>();
  #round = 0;
  /** A read under way. */
  #looking: Promise<unknown> | undefined;
  #firing: Promise<void> | undefined;
  #stopping = false;
  #pumping = false;
  #asking: Promise<void> | undefined;
  #disarm: (() => void) | undefined;
  #drained: (() => void) | undefined;

  constructor(private readonly parts: DispatchParts) {
    const { sql, clock, by, log, batch, calls, wire = new SharedWire() } = parts;
    const { replica = v7(), mayLeave = () => true } = parts;
    this.#wire = wire;
    this.#mayLeave = mayLeave;
    wire.onFreed('sends', (serviceId) => this.#queues.has(serviceId) && this.#pumpSoon());
    this.#recorder = new BatchWriter({
      name: 'answers',
      write: (answers: readonly RecordedAnswer[]) =>
        recordAnswers(sql, answers, by, clock.now()).then(parts.told),
      refused: (answer, error) => keepAnswer(parts, answer, error),
      batch,
      log,
    });
    this.#revisions = new RevisionCache(sql);
    this.#handOff = new HandOff(
      { ...parts, replica, mayLeave, recorder: this.#recorder, revisions: this.#revisions },
      {
        called: (entry) => this.#ended(entry, true),
        awaited: ({ serviceId }) => this.#queues.get(serviceId)?.isFull(clock.now()) === true,
        putDown: (entry) => this.#ended(entry, false),
        unusable: ({ serviceId }, fault) => void calls.blocks.cannotCall(serviceId, fault),
        answered: ({ id, serviceId }, outcome, answer) => {
          calls.blocks.ended(serviceId, id, answer, outcome.kind === 'unknown');
          if (outcome.kind !== 'taken') parts.notTaken?.(serviceId, outcome.code);
        },
        later: (entry, at) => {
          this.#queues.get(entry.serviceId)?.due.push({ ...entry, at });
          this.#free(entry, false);
        },
      },
    );
  }

  /**
   * Reads what is due up to the look-ahead, from the start. Returns how many sends it found. What is due beyond those is read
   * further on, without a round, whenever so much of a project has drained.
   */
  async runOnce(): Promise<number> {
    while (this.#looking !== undefined) await this.#looking;
    const looking = this.#lookAhead();
    this.#looking = looking.then(...ENDED);
    try {
      return await looking;
    } finally {
      this.#looking = undefined;
      this.#lookFurther();
    }
  }

  async #lookAhead(): Promise<number> {
    if (this.#stopping) return 0;
    await this.#refreshQueues();
    await this.#handOff.unheard.putBack((id) => this.#held.has(id));
    const { batch: limit } = this.parts;
    const ask = await this.#ask();
    const elapsed = this.parts.clock.elapsed();
    const rooms = new Map(
      [...this.#queues].map(([id, queue]) => [id, Math.min(FIRST_ROOM, queue.room(ask.now, elapsed))]),
    );
    const sends = await lookAhead(this.parts.sql, { ...ask, rooms, room: FIRST_ROOM, held: [...this.#held] });
    if (!(await this.#hold(sends))) return 0;
    const fresh = sends.filter(({ part }) => part === 'fresh').length;
    const late = sends.filter(({ part }) => part === 'late' || part === 'others').length;
    const isCut = fresh >= limit || late >= Math.max(Math.ceil(limit / 2), limit - fresh);
    const byService = ofServices(sends);
    for (const [serviceId, queue] of this.#queues) {
      const room = rooms.get(serviceId) ?? FIRST_ROOM;
      if (room > 0) queue.sawFirst(byService.get(serviceId) ?? [], room, isCut);
    }
    // Others than it reached may have some due as well.
    if (isCut) this.parts.wake();
    return sends.length;
  }

  /** Where a project has drained of which the last read left some. One read at a time. */
  #lookFurther(): void {
    if (this.#stopping || this.#looking !== undefined) return;
    const [now, elapsed] = [this.parts.clock.now(), this.parts.clock.elapsed()];
    const further = [...this.#queues].flatMap(([id, queue]) =>
      queue.mayHaveMore && queue.wantsMore ? queue.further(id, now, elapsed) : [],
    );
    if (further.length === 0) return;
    this.#looking = this.#readFurther(further)
      // What it was to bring the next read from the start finds, which says what is wrong.
      .catch(() => this.#queues.forEach((queue) => queue.forgetPlaces()))
      .finally(() => {
        this.#looking = undefined;
        this.#lookFurther();
      });
  }

  async #readFurther(further: readonly Further[]): Promise<void> {
    const sends = await lookFurther(this.parts.sql, { ...(await this.#ask()), further });
    if (!(await this.#hold(sends))) return;
    const isCut = sends.length >= this.parts.batch;
    const byService = ofServices(sends);
    for (const one of further)
      this.#queues.get(one.serviceId)?.sawFurther(one, byService.get(one.serviceId) ?? [], isCut);
  }

  async #ask() {
    const {
      clock,
      aheadMs,
      batch: limit,
      slice = () => WHOLE,
      days = () => Promise.resolve(EVERY_DAY),
    } = this.parts;
    const now = clock.now();
    this.#round += 1;
    return { now, upTo: now + aheadMs, limit, round: this.#round, slice: slice(), days: await days() };
  }

  /** False: it is stopping. */
  async #hold(sends: readonly AheadSend[]): Promise<boolean> {
    // Read now, not when they are due; a fault meets them again there.
    this.#revisions.getMany(sends).catch(() => undefined);
    const settings = await this.#settingsOf(sends);
    if (this.#stopping) return false;
    for (const send of sends) {
      if (this.#held.has(send.id)) continue;
      this.#held.add(send.id);
      this.#queueOf(send.serviceId, settings).due.push({ ...send, at: send.handOffAt });
    }
    this.#pump();
    return true;
  }

  /** Stops firing, forgets what waits here, and ends when every call in flight is written down. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#disarm?.();
    await this.#looking;
    await this.#asking;
    await this.#firing;
    if (this.onWire > 0) await new Promise<void>((resolve) => (this.#drained = resolve));
    await this.#recorder.idle();
    await this.#handOff.unheard.putBack(() => false, true).catch(() => undefined);
  }

  /** Sends on the wire, or whose answer is not written down yet. */
  get onWire(): number {
    return [...this.#queues.values()].reduce((sum, queue) => sum + queue.onWire, 0);
  }

  /** Gateways called from here: how many, and whose could not be reached lately. */
  gateways(): { called: number; unreachable: string[] } {
    const elapsed = this.parts.clock.elapsed();
    const unreachable = [...this.#queues]
      .filter(
        ([, { circuit }]) => circuit.stateAt(elapsed) !== 'closed' && elapsed < circuit.opensAt + UNPROBED_MS,
      )
      .map(([serviceId]) => serviceId);
    return { called: this.#queues.size, unreachable };
  }

  /** What each project has here now. */
  queues(): QueueState[] {
    const elapsed = this.parts.clock.elapsed();
    return [...this.#queues].map(([serviceId, { due, onWire, circuit }]) => ({
      serviceId,
      queued: due.size,
      onWire,
      circuitOpen: circuit.stateAt(elapsed) !== 'closed',
    }));
  }

  /** Projects this process cannot call by a fault of ours, each with what to do. */
  unusable(): string[] {
    return this.parts.calls.blocks.unusable;
  }

  /** Whether a round is worth it soon, though nothing new be due: settings change. */
  get needsCare(): boolean {
    return [...this.#queues.values()].some((queue) => queue.needsCare);
  }

  /** Once for everything that ends in this turn of the event loop: what they make room for is fired together. */
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
    if (this.#stopping || !this.#mayLeave()) return;
    this.#askForTokens();
    this.#askWhetherBack();
    if (this.#firing !== undefined) return;
    const { clock, batch } = this.parts;
    const leaving = takeInTurns(this.#queues.values(), batch, clock.now(), clock.elapsed());
    if (leaving.length === 0) {
      this.#disarm = wakeFor(this.#queues.values(), clock, () => this.#pump());
      return;
    }
    this.#firing = this.#handOff.fire(leaving).catch((error: unknown) => {
      this.parts.log.error({ err: error, sends: leaving.length }, 'sends could not be fired; they wait');
      return scheduler.wait(AFTER_FAULT_MS);
    });
    void this.#firing.finally(() => {
      this.#firing = undefined;
      this.#pump();
    });
  }

  /** One asking at a time; what it brings is fired at once. */
  #askForTokens(): void {
    if (this.#asking !== undefined) return;
    const wishes = tokenWishes(this.#queues, this.parts.clock);
    if (wishes.length === 0) return;
    this.#asking = fetchTokens(wishes, this.#queues, this.parts).finally(() => {
      this.#asking = undefined;
      this.#pump();
    });
  }

  /** A GET, which costs nothing, of each gateway in trouble for which a send waits. */
  #askWhetherBack(): void {
    const { clock, calls, pushApi } = this.parts;
    const [now, elapsed] = [clock.now(), clock.elapsed()];
    for (const [serviceId, queue] of this.#queues) {
      if (queue.asksFirst(now, elapsed))
        void askWhetherBack(calls, pushApi, serviceId).then((called) => {
          // Otherwise the next round asks again.
          if (called) this.#pumpSoon();
        });
    }
  }

  #ended(entry: QueuedSend, made: boolean): void {
    this.#held.delete(entry.id);
    this.#free(entry, made);
  }

  #free(entry: QueuedSend, made: boolean): void {
    const queue = this.#queues.get(entry.serviceId);
    queue?.free(entry, made);
    if (this.#stopping) {
      if (this.onWire === 0) this.#drained?.();
      return;
    }
    this.#pumpSoon();
    if (queue?.wantsMore !== true) return;
    if (queue.mayHaveMore) this.#lookFurther();
    else if (queue.mayHaveOthers) this.parts.wake();
  }

  #queueOf(serviceId: string, settings: ReadonlyMap<string, QueueSettings>): ProjectQueue {
    let queue = this.#queues.get(serviceId);
    if (queue === undefined) {
      const gate = this.parts.calls.blocks.gate(serviceId);
      const wire = this.#wire.of(serviceId);
      queue = new ProjectQueue(
        settings.get(serviceId) ?? { inFlight: 1, ratePerSecond: 1, weight: 1 },
        gate,
        wire,
      );
      this.#queues.set(serviceId, queue);
    }
    return queue;
  }

  /** Settings as the project store has them now. */
  async #refreshQueues(): Promise<void> {
    const known = await this.parts.projects.getMany([...this.#queues.keys()]);
    for (const [serviceId, queue] of this.#queues) {
      const project = known.get(serviceId);
      this.parts.calls.blocks.see(serviceId, project);
      queue.most = Math.ceil(MOST_HELD / Math.max(5, this.#queues.size));
      if (project !== undefined) queue.update(project);
      else if (queue.onWire === 0 && queue.due.size === 0) this.#queues.delete(serviceId);
    }
  }

  /** Of new queues. Where they cannot be read what is here waits in a queue of one, which the next round corrects. */
  async #settingsOf(planned: readonly AheadSend[]): Promise<ReadonlyMap<string, QueueSettings>> {
    const { projects, log } = this.parts;
    try {
      return await projects.getMany(planned.map((send) => send.serviceId));
    } catch (error) {
      log.warn({ err: error, sends: planned.length }, 'the settings of projects could not be read');
      return new Map();
    }
  }
}

function ofServices(sends: readonly AheadSend[]): ReadonlyMap<string, readonly AheadSend[]> {
  const byService = new Map<string, AheadSend[]>();
  for (const send of sends) {
    const some = byService.get(send.serviceId);
    if (some === undefined) byService.set(send.serviceId, [send]);
    else some.push(send);
  }
  return byService;
}
