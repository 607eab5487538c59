// Pace (planning.md §4): at most `perMinute` requests of a campaign a minute, over all zones, spread evenly. A request that it
// moves into a night or quiet hours is deferred or skipped like any request planned there. A request that it moves past the
// deadline is skipped.
import TinyQueue from 'tinyqueue';
import { MINUTE_MS } from '../../../zone-rules/civil.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { ChunkRun, TimedCell } from '../plan/plan-types.js';
import type { JudgedWindows } from './window-rules.js';

export interface PacedCell {
  /** Cells that are ready at the same instant go in order of key. */
  readonly key: string;
  readonly readyAt: EpochMs;
  readonly chunks: number;
  readonly deadlineAt: EpochMs;
  /** Its requests fall on whole minutes (reservations do) where it is ready on one; else they are spread within the minute. */
  readonly wholeMinutes: boolean;
  /** It is ready at the instant of planning, so its runs say so. */
  readonly fromNow?: boolean;
  readonly judge: (instant: EpochMs) => JudgedWindows;
}

/** `night` and `quiet`: of the second check of the windows, where it moved or skipped anything. */
export interface PacedRuns extends Partial<Pick<TimedCell, 'night' | 'quiet'>> {
  readonly runs: readonly ChunkRun[];
  /** How many requests fall into a night that goes to those who consented. */
  readonly nightRequests?: number;
}

export interface PaceOptions {
  readonly perMinute: number;
  /** Requests that earlier plans of the campaign put on a minute, by its first instant; the rest of the minute is free. */
  readonly taken?: ReadonlyMap<EpochMs, number> | undefined;
  /** The instant from which minutes are counted: the epoch, or the instant of a campaign that goes now. */
  readonly origin?: EpochMs;
}

/**
 * Slots are numbered from the origin, `perMinute` to the minute; the campaign takes each at most once. Cells are served in
 * the order in which they are ready, so no free slot that a later cell may take lies before one that was given out: a single
 * pointer is enough to know which are taken.
 */
export class Pace {
  readonly #perMinute: number;
  readonly #origin: EpochMs;
  /** By number of a minute: how many of its slots, from the first, belong to an earlier plan. */
  readonly #taken = new Map<number, number>();
  #nextSlot = -Infinity;

  constructor({ perMinute, taken = new Map(), origin = 0 }: PaceOptions) {
    this.#perMinute = perMinute;
    this.#origin = origin;
    for (const [minute, count] of taken) {
      // A minute of the clock that overlaps two of our minutes counts for the later one: a minute that is over takes no slot.
      this.#taken.set(this.#minuteOf(minute + MINUTE_MS - 1), Math.min(count, perMinute));
    }
  }

  /** The runs of every cell, in the order given. The cell that is ready first goes until it is done or deferred. */
  spread(cells: readonly PacedCell[]): PacedRuns[] {
    const waiting = cells.map((cell, position): Waiting => {
      const { readyAt, fromNow = false } = cell;
      return { cell, position, readyAt, fromNow, first: 0, paced: { runs: [] } };
    });
    const queue = new TinyQueue([...waiting], inOrder);
    for (let entry = queue.pop(); entry !== undefined; entry = queue.pop()) {
      const next = this.#fill(entry);
      if (next !== undefined) queue.push(next);
    }
    return waiting.map(({ paced }) => paced);
  }

  /** Gives out slots, a minute at a time, until the cell is done, skipped or deferred; returns what still waits. */
  #fill(entry: Waiting): Waiting | undefined {
    const { cell, readyAt, paced } = entry;
    const counted = entry.fromNow ? ({ fromNow: true } as const) : {};
    const whole = cell.wholeMinutes && readyAt % MINUTE_MS === 0 && this.#origin % MINUTE_MS === 0;
    let { first } = entry;
    while (first < cell.chunks) {
      const slot = this.#firstFree(this.#slotFrom(readyAt));
      const dueAt = this.#due(slot, whole);
      const { at, night, quiet, skipped } = cell.judge(dueAt);
      const late = at > cell.deadlineAt ? 'DEADLINE' : undefined;
      if (skipped !== undefined || late !== undefined || at > dueAt) {
        Object.assign(paced, { night, quiet });
        if (skipped === undefined && late === undefined)
          return { ...entry, readyAt: at, fromNow: false, first };
        const rest = { first, count: cell.chunks - first, dueAt: skipped === undefined ? at : dueAt };
        paced.runs.push({ ...rest, stepMs: 0, perStep: 1, skipped: skipped ?? late, ...counted });
        return undefined;
      }
      const count = this.#inMinute(cell, slot, first, whole);
      if (night.kind === 'consented') paced.nightRequests = (paced.nightRequests ?? 0) + count;
      this.#append(paced.runs, slot, { first, count, dueAt, ...stepOf(whole, this.#perMinute), ...counted });
      first += count;
      this.#nextSlot = slot + count;
    }
    return undefined;
  }

  /** How many chunks fit from this slot on. The judgement of its due holds to the end of the clock's minute: windows have whole minutes. */
  #inMinute({ chunks, deadlineAt }: PacedCell, slot: number, first: number, whole: boolean): number {
    const dueAt = this.#due(slot, whole);
    const until = Math.min(deadlineAt, dueAt - (dueAt % MINUTE_MS) + MINUTE_MS - 1);
    let count = Math.min(this.#perMinute - (slot % this.#perMinute), chunks - first);
    while (this.#due(slot + count - 1, whole) > until) count -= 1;
    return count;
  }

  /** Slots before it are given out, or come before any waiting cell is ready. */
  #firstFree(from: number): number {
    let slot = Math.max(from, this.#nextSlot);
    for (;;) {
      const minute = Math.floor(slot / this.#perMinute);
      const free = minute * this.#perMinute + (this.#taken.get(minute) ?? 0);
      if (slot >= free) return (this.#nextSlot = slot);
      slot = free;
    }
  }

  #append(runs: ChunkRun[], slot: number, run: ChunkRun): void {
    const last = runs.at(-1);
    // The last run goes on if it would have put the chunk at exactly this slot.
    const goesOn =
      last?.stepMs === run.stepMs &&
      last.fromNow === run.fromNow &&
      run.dueAt === chunkOfRun(last, run.first) &&
      (run.perStep === 1 || slot % this.#perMinute === 0);
    if (goesOn) runs[runs.length - 1] = { ...last, count: last.count + run.count };
    else runs.push(run);
  }

  #minuteOf(instant: EpochMs): number {
    return Math.floor((instant - this.#origin) / MINUTE_MS);
  }

  /** Computed by the minute and within it: an instant times the requests a minute may exceed the exact integers. */
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

function stepOf(whole: boolean, perMinute: number): Pick<ChunkRun, 'stepMs' | 'perStep'> {
  return whole ? { stepMs: MINUTE_MS, perStep: perMinute } : { stepMs: MINUTE_MS / perMinute, perStep: 1 };
}

interface Waiting {
  readonly cell: PacedCell;
  readonly position: number;
  readonly readyAt: EpochMs;
  readonly fromNow: boolean;
  /** Its first chunk that has no slot yet. */
  readonly first: number;
  readonly paced: PacedRuns & { readonly runs: ChunkRun[]; nightRequests?: number };
}

/** By the instant at which they are ready, then by key, then by position. */
function inOrder(a: Waiting, b: Waiting): number {
  if (a.readyAt !== b.readyAt) return a.readyAt - b.readyAt;
  return a.cell.key === b.cell.key ? a.position - b.position : a.cell.key < b.cell.key ? -1 : 1;
}

/** More than the rounding error that steps of fractional milliseconds collect over years; less than the fraction of any such step. */
const TINY_MS = 1e-5;

/** The due of a cell's chunk by a run that holds it, or would hold it if it went on. */
export function chunkOfRun(run: ChunkRun, chunk: number): EpochMs {
  const steps = Math.floor((chunk - run.first) / run.perStep);
  return run.dueAt + Math.floor(steps * run.stepMs + TINY_MS);
}
