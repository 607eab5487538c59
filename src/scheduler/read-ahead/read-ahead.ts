// Reads work of one kind before it is done, and holds each send once. A round reads some work of every project. As a project's work
// leaves, a read further on brings more, from the place where the last read ended. A round begins at the start; while that has to walk
// over too many rows, it begins at the place up to which late work was read (docs/decisions/0034). Does none of the work.
import type { Clock } from '../../platform/clock.js';
import type { FullReads } from '../../platform/loops/full-reads.js';
import type { Log } from '../../platform/logging/log.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { Slice } from '../decide/lifecycle/replica-slice.js';
import { FRESH_MS, type FoundWork, type ReadAsk, type ReadPage } from '../store/send/read-work.store.js';
import { ProjectReads } from './project-reads.js';

/** The most sends of one project that a round brings: a round is to reach every project, and reads further on bring more. */
const FIRST_ROOM = 256;
/** The most sends of all projects that wait here: each round names them to the database. */
const MOST_WAITING = 10_000;
/** A read from the start that takes longer is made at the same time as other reads, real milliseconds. */
const SLOW_MS = 100;

/** One project's work in this process. */
export interface ReadQueue {
  readonly reads: ProjectReads;
  /** The most sends that may wait in it, whatever the rate. */
  most: number;
  /** How many more sends may be read. */
  room(now: EpochMs, elapsed: number): number;
  /** Whether so much has left that reading more is worth a statement. */
  readonly wantsMore: boolean;
}

type Ask = Omit<ReadAsk, 'work'>;

export interface ReadAheadDeps<Found extends FoundWork> {
  readonly clock: Clock;
  readonly log: Log;
  readonly read: (ask: Ask) => Promise<Found[]>;
  /** This process's slice of the sends. */
  readonly slice: () => Slice;
  /** When late work is read from the start. */
  readonly fullReads: FullReads;
  /** Work is read this long before its instant, milliseconds. */
  readonly aheadMs: number;
  /** A round that does not begin at the start reads the last so many milliseconds once more: work may have appeared there since. */
  readonly againMs: number;
  /** The most sends that one statement reads. */
  readonly batch: number;
  /** The most sends of one project that are held [any number]. */
  readonly room?: number;
  /** Asks for a round. */
  readonly wake: () => void;
  /** By serviceId, for every project whose work was taken. */
  readonly queues: ReadonlyMap<string, ReadQueue>;
  /** Called before take(), with all that was found. */
  readonly prepare: (found: readonly Found[]) => Promise<void>;
  /** Takes work that is not held yet. */
  readonly take: (found: readonly Found[]) => void;
}

export class ReadAhead<Found extends FoundWork> {
  /** By send that is held, until forget(), its serviceId. */
  readonly #held = new Map<string, string>();
  /** The reads of all projects without a queue. */
  readonly #others = new ProjectReads();
  #round = 0;
  /** The slice to which the noted places belong. */
  #slice: string | undefined;
  /** The read that runs; never rejects. */
  #reading: Promise<unknown> | undefined;
  #beside: Promise<void> | undefined;
  #wakeForFull: NodeJS.Timeout | undefined;
  #stopping = false;

  constructor(private readonly deps: ReadAheadDeps<Found>) {}

  /** One round. Returns how many sends it found. Further sends are read without a round, as those of their project leave. */
  async runOnce(): Promise<number> {
    while (this.#reading !== undefined) await this.#reading;
    const reading = this.#readAll();
    this.#reading = reading.catch(() => undefined);
    try {
      return await reading;
    } finally {
      this.#reading = undefined;
      this.#readFurther();
    }
  }

  has(id: string): boolean {
    return this.#held.has(id);
  }

  /** Holds the send no more: it may be read again. */
  forget(id: string): void {
    this.#held.delete(id);
  }

  /** Holds the work no more although it is not done: the next round is to bring it again. */
  giveBack({ id, serviceId, nextAt }: Found): void {
    this.forget(id);
    this.stepBack(serviceId, nextAt);
    this.deps.queues.get(serviceId)?.reads.awaitRound();
  }

  /** Has the next round read this project from this instant at the latest. */
  stepBack(serviceId: string, at: EpochMs): void {
    this.deps.queues.get(serviceId)?.reads.stepBack(at);
  }

  /** Work of this project has left: reads further on if enough has. */
  drained(serviceId: string): void {
    const queue = this.deps.queues.get(serviceId);
    if (queue === undefined || this.#stopping || !queue.wantsMore) return;
    if (queue.reads.mayHaveMore) this.#readFurther();
    else if (queue.reads.awaitsRound && this.#roomOf(queue) > 0) {
      queue.reads.awaitsRound = false;
      this.deps.wake();
    }
  }

  /** Resolves when no read runs; none begins any more. */
  async stop(): Promise<void> {
    this.#stopping = true;
    clearTimeout(this.#wakeForFull);
    await this.#reading;
    await this.#beside;
  }

  async #readAll(): Promise<number> {
    if (this.#stopping) return 0;
    const { read, fullReads, wake } = this.deps;
    const { isTime, tookMs, waitMs } = fullReads;
    const isFull = isTime && tookMs <= SLOW_MS;
    if (isTime && !isFull) this.#readBeside();
    if (!isTime) {
      clearTimeout(this.#wakeForFull);
      this.#wakeForFull = setTimeout(wake, waitMs).unref();
    }
    const ask = this.#askAll(isFull);
    const found = await (isFull ? fullReads.read(() => read(ask)) : read(ask));
    // It may not have reached all projects.
    if (await this.#keep(found, ask)) wake();
    return found.length;
  }

  /** Reads late work from the start, at the same time as other reads, which bring what is due soon. */
  #readBeside(): void {
    const { read, fullReads, log } = this.deps;
    const ask = this.#askAll(true);
    this.#beside ??= fullReads
      .read(() => read({ ...ask, upTo: ask.lateUpTo }))
      .then(async (found) => {
        await this.#takeNew(found);
        for (const { serviceId, nextAt } of found) this.stepBack(serviceId, nextAt);
      })
      .catch((error: unknown) => log.warn({ err: error }, 'late work could not be read from the start'))
      .finally(() => (this.#beside = undefined));
  }

  /** Reads further on for projects whose work has left and of which the last read left some. One read at a time. */
  #readFurther(): void {
    if (this.#stopping || this.#reading !== undefined) return;
    const { read, queues, wake } = this.deps;
    const pages = new Map<string, ReadPage>();
    for (const [serviceId, queue] of queues) {
      const room = queue.reads.mayHaveMore && queue.wantsMore ? this.#roomOf(queue) : 0;
      if (room > 0) pages.set(serviceId, queue.reads.further(room));
    }
    if (pages.size === 0) return;
    const ask = { ...this.#ask(), pages, held: [] };
    this.#reading = read(ask)
      .then((found) => this.#keep(found, ask))
      .catch(() => {
        // The next round reads the same, and reports the error if it fails too.
        for (const serviceId of pages.keys()) queues.get(serviceId)?.reads.awaitRound();
        wake();
      })
      .finally(() => {
        this.#reading = undefined;
        this.#readFurther();
      });
  }

  #ask() {
    const { clock, slice: sliceNow, aheadMs, batch: limit } = this.deps;
    const now = clock.now();
    const slice = sliceNow();
    this.#round += 1;
    const sliceName = `${slice.index}/${slice.of}`;
    // The noted places belong to another slice: everything is read again.
    if (sliceName !== this.#slice)
      for (const { reads } of [{ reads: this.#others }, ...this.deps.queues.values()]) reads.stepBack(0);
    this.#slice = sliceName;
    return { now, upTo: now + aheadMs, lateUpTo: now - FRESH_MS, limit, round: this.#round, slice };
  }

  /** What a round asks for. */
  #askAll(isFull: boolean): Ask {
    const { queues, againMs, room: most = FIRST_ROOM } = this.deps;
    const ask = this.#ask();
    const first = Math.min(FIRST_ROOM, most);
    const page = (reads: ProjectReads, room: number): ReadPage => ({
      room,
      late: isFull ? { at: 0 } : reads.lateFrom(ask.lateUpTo - againMs),
      fresh: { at: ask.lateUpTo },
    });
    const pages = new Map<string, ReadPage>();
    const waiting = new Set(this.#held.values()).size;
    for (const [serviceId, queue] of queues) {
      queue.most = Math.ceil(MOST_WAITING / Math.max(5, waiting));
      pages.set(serviceId, page(queue.reads, Math.min(first, this.#roomOf(queue))));
    }
    const held = [...this.#held].filter(([, serviceId]) => pages.get(serviceId)?.room !== 0);
    return { ...ask, pages, others: page(this.#others, first), held: held.map(([id]) => id) };
  }

  #roomOf(queue: ReadQueue): number {
    const { clock } = this.deps;
    return queue.room(clock.now(), clock.elapsed());
  }

  /** Takes what a read found and notes where the read ended. Returns whether it reached the statement's limit. */
  async #keep(found: readonly Found[], { pages, others, lateUpTo }: Ask): Promise<boolean> {
    if (!(await this.#takeNew(found))) return false;
    const { batch, queues, againMs } = this.deps;
    const fresh = found.filter(({ kind }) => kind === 'fresh').length;
    const late = found.filter(({ kind }) => kind === 'late' || kind === 'others').length;
    // As read_work() divides its limit.
    const isCut = { fresh: fresh >= batch, late: late >= Math.max(Math.ceil(batch / 2), batch - fresh) };
    const byService = new Map<string, Found[]>([...queues.keys()].map((serviceId) => [serviceId, []]));
    for (const one of found) byService.get(one.serviceId)?.push(one);
    const read = { isRound: others !== undefined, isCut, lateUpTo: lateUpTo - againMs };
    for (const [serviceId, { reads }] of queues) {
      const page = pages.get(serviceId) ?? others;
      if (page !== undefined) reads.saw(byService.get(serviceId) ?? [], page, read);
    }
    if (others !== undefined) this.#others.saw([], others, read);
    return isCut.fresh || isCut.late;
  }

  /** Takes what is not held yet; false: the process is stopping and takes nothing. */
  async #takeNew(found: readonly Found[]): Promise<boolean> {
    if (found.length > 0) await this.deps.prepare(found);
    if (this.#stopping) return false;
    const taken: Found[] = [];
    for (const one of found) {
      if (this.#held.has(one.id)) continue;
      this.#held.set(one.id, one.serviceId);
      taken.push(one);
    }
    this.deps.take(taken);
    return true;
  }
}
