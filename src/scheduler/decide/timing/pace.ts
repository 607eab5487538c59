// Pace (planning.md §4): at most `perMinute` requests of a campaign a minute, over all zones, spread evenly; what it
// pushes into a night or a quiet hour is deferred or skipped like anything planned there, what it pushes past the
// deadline is skipped.
import { MINUTE_MS } from '../../../zone-rules/civil.js';
import TinyQueue from 'tinyqueue';
import type { ChunkRun, SkipCode, WindowVerdict } from '../plan/plan-types.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { JudgedWindows } from './windows.js';

export interface PacedCell {
  /** Ties on one instant go in order of key. */
  readonly key: string;
  readonly readyAt: EpochMs;
  readonly chunks: number;
  readonly deadlineAt: EpochMs;
  /** Reservations fall on whole minutes, where the cell is ready on one; the rest is spread within the minute. */
  readonly wholeMinutes: boolean;
  readonly judge: (instant: EpochMs) => JudgedWindows;
}

export interface PacedRuns {
  readonly runs: readonly ChunkRun[];
  /** Of the second look at the windows, where it moved or skipped anything. */
  readonly night?: WindowVerdict;
  readonly quiet?: WindowVerdict;
}

export interface PaceOptions {
  readonly perMinute: number;
  /** Requests that earlier plans of the campaign put on a minute, by its first instant; the rest of it is free. */
  readonly taken?: ReadonlyMap<EpochMs, number>;
  /** Where minutes are counted from: the epoch, or the instant of what goes now. */
  readonly origin?: EpochMs;
}

/**
 * Slots are numbered from the origin, `perMinute` to the minute; the campaign takes each at most once. Whoever is ready
 * first is served first, so slots given before never lie beyond a free one that a later cell may take: one pointer is
 * enough to know all of them.
 */
export class Pace {
  readonly #perMinute: number;
  readonly #origin: EpochMs;
  /** Of the slots of a minute, by its number, the first so many are an earlier plan's. */
  readonly #taken = new Map<number, number>();
  #nextSlot = -Infinity;

  constructor({ perMinute, taken = new Map(), origin = 0 }: PaceOptions) {
    this.#perMinute = perMinute;
    this.#origin = origin;
    for (const [minute, count] of taken) {
      // A minute of the clock that lies across two of ours counts for the later: what is over takes nothing.
      this.#taken.set(this.#minuteOf(minute + MINUTE_MS - 1), Math.min(count, perMinute));
    }
  }

  /** Of every cell, in their order. Who is ready first goes first, and goes on until done or deferred. */
  spread(cells: readonly PacedCell[]): PacedRuns[] {
    const result = cells.map((): Paced => ({ runs: [] }));
    const queue = new TinyQueue<Waiting>([], inOrder);
    for (const [position, cell] of cells.entries()) {
      const { key, readyAt } = cell;
      queue.push({ cell, key, position, readyAt, first: 0 });
    }
    for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) {
      const paced = result[entry.position];
      const stopped = paced === undefined ? undefined : this.#fill(entry, paced.runs);
      if (paced === undefined || stopped === undefined) continue;
      const { at, first, skipped } = stopped;
      Object.assign(paced, stopped.verdicts);
      if (skipped === undefined) queue.push({ ...entry, readyAt: at, first });
      else paced.runs.push(restOf(entry.cell, first, at, skipped));
    }
    return result;
  }

  /** Gives slots, a minute at a time, until the cell is done or may not go on; says where and why it stopped. */
  #fill({ cell, readyAt, first: from }: Waiting, runs: ChunkRun[]): Stopped | undefined {
    const whole = cell.wholeMinutes && readyAt % MINUTE_MS === 0 && this.#origin % MINUTE_MS === 0;
    let first = from;
    while (first < cell.chunks) {
      const slot = this.#firstFree(this.#slotFrom(readyAt));
      const dueAt = this.#due(slot, whole);
      const { at, night, quiet, skipped } = cell.judge(dueAt);
      if (skipped !== undefined) return { at: dueAt, first, skipped, verdicts: { night, quiet } };
      if (at > cell.deadlineAt) return { at, first, skipped: 'DEADLINE', verdicts: { night, quiet } };
      if (at > dueAt) return { at, first, verdicts: { night, quiet } };
      const inMinute = this.#perMinute - (slot % this.#perMinute);
      let count = Math.min(inMinute, cell.chunks - first);
      // What was judged holds to the end of the clock's minute, for windows begin and end on one.
      const until = Math.min(cell.deadlineAt, dueAt - (dueAt % MINUTE_MS) + MINUTE_MS - 1);
      while (this.#due(slot + count - 1, whole) > until) count -= 1;
      this.#append(runs, { slot, first, count, dueAt }, whole);
      first += count;
      this.#nextSlot = slot + count;
    }
    return undefined;
  }

  /** Those before it are given, or before anybody who still waits is ready. */
  #firstFree(from: number): number {
    let slot = Math.max(from, this.#nextSlot);
    for (;;) {
      const minute = Math.floor(slot / this.#perMinute);
      const free = minute * this.#perMinute + (this.#taken.get(minute) ?? 0);
      if (slot >= free) return (this.#nextSlot = slot);
      slot = free;
    }
  }

  #append(
    runs: ChunkRun[],
    { slot, first, count, dueAt }: { slot: number; first: number; count: number; dueAt: EpochMs },
    whole: boolean,
  ): void {
    const last = runs.at(-1);
    const step = whole
      ? { stepMs: MINUTE_MS, perStep: this.#perMinute }
      : { stepMs: MINUTE_MS / this.#perMinute, perStep: 1 };
    // A run goes on where this slot is just where it would have put the chunk.
    const goesOn =
      last?.stepMs === step.stepMs &&
      dueAt === chunkOfRun(last, first) &&
      (!whole || slot % this.#perMinute === 0);
    if (goesOn) runs[runs.length - 1] = { ...last, count: last.count + count };
    else runs.push({ first, count, dueAt, ...step });
  }

  #minuteOf(instant: EpochMs): number {
    return Math.floor((instant - this.#origin) / MINUTE_MS);
  }

  /** By the minute and within it: instants times requests would leave the exact integers. */
  #slotFrom(instant: EpochMs): number {
    const minute = this.#minuteOf(instant);
    const within = instant - this.#origin - minute * MINUTE_MS;
    return minute * this.#perMinute + Math.ceil((within * this.#perMinute) / MINUTE_MS);
  }

  #due(slot: number, whole: boolean): EpochMs {
    const minute = Math.floor(slot / this.#perMinute);
    const within = slot - minute * this.#perMinute;
    const start = this.#origin + minute * MINUTE_MS;
    return whole ? start : start + Math.floor((within * MINUTE_MS) / this.#perMinute);
  }
}

type Paced = { -readonly [Member in keyof PacedRuns]: PacedRuns[Member] } & { readonly runs: ChunkRun[] };

interface Waiting {
  readonly readyAt: EpochMs;
  readonly key: string;
  readonly position: number;
  readonly cell: PacedCell;
  /** Its first chunk that has no slot yet. */
  readonly first: number;
}

/** Who is ready first; on one instant in order of key, then of position. */
function inOrder(a: Waiting, b: Waiting): number {
  return a.readyAt - b.readyAt || (a.key === b.key ? a.position - b.position : a.key < b.key ? -1 : 1);
}

interface Stopped {
  readonly at: EpochMs;
  readonly first: number;
  readonly skipped?: SkipCode;
  readonly verdicts: { readonly night: WindowVerdict; readonly quiet: WindowVerdict };
}

function restOf(cell: PacedCell, first: number, dueAt: EpochMs, skipped: SkipCode): ChunkRun {
  return { first, count: cell.chunks - first, dueAt, stepMs: 0, perStep: 1, skipped };
}

/** More than a step of no whole number of milliseconds is ever off by, over years; less than any such step's fraction. */
const TINY_MS = 1e-5;

/** The due of a cell's chunk by a run that holds it, or would if it went on. */
export function chunkOfRun(run: ChunkRun, chunk: number): EpochMs {
  const steps = Math.floor((chunk - run.first) / run.perStep);
  return run.dueAt + Math.floor(steps * run.stepMs + TINY_MS);
}
