// Pace (planning.md §4): at most `perMinute` requests of a campaign a minute, over all zones, spread evenly; what it
// pushes into a night or a quiet hour is deferred or skipped like anything planned there, what it pushes past the
// deadline is skipped.
import { MINUTE_MS } from './civil.js';
import type { ChunkRun, SkipCode, WindowVerdict } from './planned.js';
import type { EpochMs } from './ports.js';
import type { JudgedWindows } from './windows.js';

export interface PacedCell {
  /** Ties on one instant go in order of key. */
  readonly key: string;
  readonly readyAt: EpochMs;
  readonly chunks: number;
  readonly deadlineAt: EpochMs;
  /** Reservations fall on whole minutes; the rest is spread within the minute. */
  readonly wholeMinutes: boolean;
  readonly judge: (instant: EpochMs) => JudgedWindows;
}

export interface PacedRuns {
  readonly runs: readonly ChunkRun[];
  /** Of the second look at the windows, where it moved or skipped anything. */
  readonly night?: WindowVerdict;
  readonly quiet?: WindowVerdict;
}

/** Slots are numbered from the epoch, `perMinute` to the minute; the campaign takes each at most once. */
export class Pace {
  #nextSlot: number;

  constructor(
    private readonly perMinute: number,
    /** The last instant that an earlier plan of the campaign took. */
    pacedUntil: EpochMs = -Infinity,
  ) {
    this.#nextSlot = pacedUntil === -Infinity ? 0 : this.#slotFrom(pacedUntil + 1);
  }

  /** The instant of the last slot taken; undefined while none was. */
  get pacedUntil(): EpochMs | undefined {
    return this.#nextSlot === 0 ? undefined : this.#instantOf(this.#nextSlot - 1);
  }

  /** Runs of every cell, by its key. Who is ready first goes first, and goes on until done or deferred. */
  spread(cells: readonly PacedCell[]): Map<string, PacedRuns> {
    const result = new Map<string, { runs: ChunkRun[]; night?: WindowVerdict; quiet?: WindowVerdict }>();
    const queue = cells.map((cell) => ({ cell, readyAt: cell.readyAt, first: 0 }));
    for (let entry = takeFirst(queue); entry !== undefined; entry = takeFirst(queue)) {
      const { cell } = entry;
      const paced = result.get(cell.key) ?? { runs: [] };
      result.set(cell.key, paced);
      const stopped = this.#fill(entry, paced.runs);
      if (stopped === undefined) continue;
      Object.assign(paced, stopped.verdicts);
      if (stopped.skipped === undefined) queue.push({ cell, readyAt: stopped.at, first: stopped.first });
      else paced.runs.push(restOf(cell, stopped.first, stopped.at, stopped.skipped));
    }
    return result;
  }

  /** Gives slots, a minute at a time, until the cell is done or may not go on; says where and why it stopped. */
  #fill(entry: { cell: PacedCell; readyAt: EpochMs; first: number }, runs: ChunkRun[]): Stopped | undefined {
    const { cell } = entry;
    let { first } = entry;
    while (first < cell.chunks) {
      const slot = Math.max(this.#nextSlot, this.#slotFrom(entry.readyAt));
      const dueAt = this.#due(slot, cell);
      const { at, night, quiet, skipped } = cell.judge(dueAt);
      if (skipped !== undefined) return { at: dueAt, first, skipped, verdicts: { night, quiet } };
      if (at > cell.deadlineAt) return { at, first, skipped: 'DEADLINE', verdicts: { night, quiet } };
      if (at > dueAt) return { at, first, verdicts: { night, quiet } };
      const inMinute = this.perMinute - (slot % this.perMinute);
      let count = Math.min(inMinute, cell.chunks - first);
      while (this.#due(slot + count - 1, cell) > cell.deadlineAt) count -= 1;
      this.#append(runs, { slot, first, count, dueAt }, cell);
      first += count;
      this.#nextSlot = slot + count;
    }
    return undefined;
  }

  #append(
    runs: ChunkRun[],
    next: { slot: number; first: number; count: number; dueAt: EpochMs },
    cell: PacedCell,
  ): void {
    const { slot, first, count, dueAt } = next;
    const last = runs.at(-1);
    const step = cell.wholeMinutes
      ? { stepMs: MINUTE_MS, perStep: this.perMinute }
      : { stepMs: MINUTE_MS / this.perMinute, perStep: 1 };
    // A run goes on where this slot is just where it would have put the chunk.
    const goesOn =
      last !== undefined &&
      slot === this.#nextSlot &&
      dueAt === chunkOfRun(last, first) &&
      slot % this.perMinute === 0;
    if (goesOn) runs[runs.length - 1] = { ...last, count: last.count + count };
    else runs.push({ first, count, dueAt, ...step });
  }

  /** By the minute and within it: instants times requests would leave the exact integers. */
  #slotFrom(instant: EpochMs): number {
    const minute = Math.floor(instant / MINUTE_MS);
    return minute * this.perMinute + Math.ceil(((instant - minute * MINUTE_MS) * this.perMinute) / MINUTE_MS);
  }

  #instantOf(slot: number): EpochMs {
    const minute = Math.floor(slot / this.perMinute);
    return minute * MINUTE_MS + Math.ceil(((slot - minute * this.perMinute) * MINUTE_MS) / this.perMinute);
  }

  #due(slot: number, cell: PacedCell): EpochMs {
    return cell.wholeMinutes ? Math.floor(slot / this.perMinute) * MINUTE_MS : this.#instantOf(slot);
  }
}

interface Stopped {
  readonly at: EpochMs;
  readonly first: number;
  readonly skipped?: SkipCode;
  readonly verdicts: { readonly night: WindowVerdict; readonly quiet: WindowVerdict };
}

function takeFirst<Entry extends { cell: PacedCell; readyAt: EpochMs }>(queue: Entry[]): Entry | undefined {
  let best = 0;
  for (const [index, entry] of queue.entries()) {
    const chosen = queue[best];
    if (chosen === undefined || entry.readyAt > chosen.readyAt) continue;
    if (entry.readyAt < chosen.readyAt || entry.cell.key < chosen.cell.key) best = index;
  }
  return queue.splice(best, 1)[0];
}

function restOf(cell: PacedCell, first: number, dueAt: EpochMs, skipped: SkipCode): ChunkRun {
  return { first, count: cell.chunks - first, dueAt, stepMs: 0, perStep: 1, skipped };
}

/** The due of a cell's chunk by a run that holds it, or would if it went on. */
export function chunkOfRun(run: ChunkRun, chunk: number): EpochMs {
  return run.dueAt + Math.floor(Math.floor((chunk - run.first) / run.perStep) * run.stepMs);
}
