// Reads work of one kind ahead of whoever does it, and holds each send once. A round reaches every project; what is beyond its
// room is read further on as the project drains, behind the place where the last read ended. A round begins at the start, or,
// while such reads have to walk over too much, where late work was read up to (docs/decisions/0034). Does none of the work.
import type { Clock } from '../../platform/clock.js';
import type { FullReads } from '../../platform/loops/full-reads.js';
import type { Log } from '../../platform/logging/log.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { Slice } from '../decide/lifecycle/replica-slice.js';
import { FRESH_MS, type FoundWork, type ReadAsk, type ReadPage } from '../store/send/read-work.store.js';
import { ProjectReads } from './project-reads.js';

/** Sends of one project that a round brings: it is to reach every project, and reads further on bring more. */
const FIRST_ROOM = 256;
/** How many sends of all projects wait here: each round names them to the database. */
const MOST_WAITING = 10_000;
/** A read from the start that takes longer is made beside the other reads, real milliseconds. */
const SLOW_MS = 100;

/** One project's work in this process. */
export interface ReadQueue {
  readonly reads: ProjectReads;
  /** How much may wait in it, whatever the rate. */
  most: number;
  /** How much more to read of it. */
  room(now: EpochMs, elapsed: number): number;
  /** Whether enough has drained for a read to be worth a statement. */
  readonly wantsMore: boolean;
}

type Ask = Omit<ReadAsk, 'work'>;

export interface ReadAheadDeps<Found extends FoundWork> {
  readonly clock: Clock;
  readonly log: Log;
  readonly read: (ask: Ask) => Promise<Found[]>;
  /** The part of the sends that is this process's. */
  readonly slice: () => Slice;
  readonly fullReads: FullReads;
  /** How far ahead of its instant work is read, milliseconds. */
  readonly aheadMs: number;
  /** Between reads from the start, so much of what was read is read again, milliseconds: work may appear behind it. */
  readonly againMs: number;
  /** How many sends one statement reads. */
  readonly batch: number;
  /** How many of one project are held at most [any number]. */
  readonly room?: number;
  /** Asks for a round. */
  readonly wake: () => void;
  /** Of the projects of which something was taken up. */
  readonly queues: ReadonlyMap<string, ReadQueue>;
  /** Called before take(), with what it may take up. */
  readonly prepare: (found: readonly Found[]) => Promise<void>;
  /** Takes up what is not held here yet. */
  readonly take: (found: readonly Found[]) => void;
}

export class ReadAhead<Found extends FoundWork> {
  /** The project of each send that is here, until forget(). */
  readonly #held = new Map<string, string>();
  /** Of all projects without a queue. */
  readonly #others = new ProjectReads();
  #round = 0;
  /** The slice of which the reads tell. */
  #slice: string | undefined;
  /** The read under way; never rejects. */
  #reading: Promise<unknown> | undefined;
  #beside: Promise<void> | undefined;
  #wakeForFull: NodeJS.Timeout | undefined;
  #stopping = false;

  constructor(private readonly deps: ReadAheadDeps<Found>) {}

  /** One round. Returns how many sends it found. What is due beyond them is read without a round, as their projects drain. */
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

  /** It is here no more: it may be read again. */
  forget(id: string): void {
    this.#held.delete(id);
  }

  /** It goes from here undone: the next round is to bring it again. */
  giveBack({ id, serviceId, nextAt }: Found): void {
    this.forget(id);
    this.stepBack(serviceId, nextAt);
    this.deps.queues.get(serviceId)?.reads.awaitRound();
  }

  /** The next round is to find what this project has at this instant. */
  stepBack(serviceId: string, at: EpochMs): void {
    this.deps.queues.get(serviceId)?.reads.stepBack(at);
  }

  /** Something of this project has gone: reads on where enough has. */
  drained(serviceId: string): void {
    const queue = this.deps.queues.get(serviceId);
    if (queue === undefined || this.#stopping || !queue.wantsMore) return;
    if (queue.reads.mayHaveMore) this.#readFurther();
    else if (queue.reads.awaitsRound && this.#roomOf(queue) > 0) {
      queue.reads.awaitsRound = false;
      this.deps.wake();
    }
  }

  /** Resolves when no read is under way; none begins any more. */
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
    // Projects that it did not reach may have work as well.
    if (await this.#keep(found, ask)) wake();
    return found.length;
  }

  /** Reads from the start, and only what is late: meanwhile other reads bring what is due soon. */
  #readBeside(): void {
    const { read, fullReads, log } = this.deps;
    const ask = this.#askAll(true);
    this.#beside ??= fullReads
      .read(() => read({ ...ask, upTo: ask.lateUpTo }))
      .then(async (found) => {
        await this.#takeUp(found);
        for (const { serviceId, nextAt } of found) this.stepBack(serviceId, nextAt);
      })
      .catch((error: unknown) => log.warn({ err: error }, 'what is late could not be read from the start'))
      .finally(() => (this.#beside = undefined));
  }

  /** Reads on for projects that have drained and of which the last read left some. One read at a time. */
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
        // The next round brings the same, and reports what is wrong.
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
    // What was read belongs to another slice.
    if (sliceName !== this.#slice)
      for (const { reads } of [{ reads: this.#others }, ...this.deps.queues.values()]) reads.stepBack(0);
    this.#slice = sliceName;
    return { now, upTo: now + aheadMs, lateUpTo: now - FRESH_MS, limit, round: this.#round, slice };
  }

  /** A round. */
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

  /** Takes up what a read brought and notes where it ended. Returns whether it ended at its own limit. */
  async #keep(found: readonly Found[], { pages, others, lateUpTo }: Ask): Promise<boolean> {
    if (!(await this.#takeUp(found))) return false;
    const { batch, queues, againMs } = this.deps;
    const fresh = found.filter(({ part }) => part === 'fresh').length;
    const late = found.filter(({ part }) => part === 'late' || part === 'others').length;
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

  /** Hands on what is not held yet; false: nothing is taken up any more. */
  async #takeUp(found: readonly Found[]): Promise<boolean> {
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
