// The offsets of one zone over time, as sorted arrays with a binary search. The readers in this folder build it. Everything that
// turns wall times into instants and back reads it. Holds no policy.
import { DAY_MS, startOfYear, type LocalMs } from './civil.js';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;

/** From `at` on, the zone is `offsetMs` ahead of UTC. */
export interface Transition {
  readonly at: EpochMs;
  readonly offsetMs: number;
}

/** The instants at which a zone's clock shows a wall time, in order. */
export type LocalCandidates =
  | { readonly kind: 'unique'; readonly instant: EpochMs }
  /** The clock shows it twice. */
  | { readonly kind: 'overlap'; readonly first: EpochMs; readonly second: EpochMs }
  /** The clock skips it. `end` is the end of the gap. `forward` is as long after it as the wall time is after the gap's start. */
  | { readonly kind: 'gap'; readonly forward: EpochMs; readonly end: EpochMs };

export interface TransitionSource {
  /** The offset before the first transition. */
  readonly initialOffsetMs: number;
  readonly transitions: readonly Transition[];
  /** Before this year (UTC) there are no transitions but those above. */
  readonly coveredToYear: number;
  /** Returns the transitions of a later year, in order. It is called once for each year, in order. Absent: there are none. */
  readonly transitionsOf?: (year: number) => readonly Transition[];
  /** `table` is called for the first time before `beforeYear`. Absent: the initial offset has always been in force. */
  readonly earlier?: { readonly beforeYear: number; readonly table: () => ZoneOffsets };
}

/** The Gregorian calendar, including weekdays, repeats every 146 097 days. */
const CYCLE_MS = 146_097 * DAY_MS;
/** Recurring transitions repeat with the calendar, so no year after this one has to be expanded. */
const LAST_EXPANDED_YEAR = 2_440;

export class ZoneOffsets {
  /** Instants of the transitions. #offsets has one more entry: [i] is in force before #at[i], and [i + 1] from it on. */
  readonly #at: number[] = [];
  readonly #offsets: number[];
  /** The later of the two wall times shown at transition i: wall times from it on are after the transition. */
  readonly #edges: number[] = [];
  readonly #transitionsOf: ((year: number) => readonly Transition[]) | undefined;
  readonly #makeEarlier: (() => ZoneOffsets) | undefined;
  readonly #coveredFrom: EpochMs;
  #earlier: ZoneOffsets | undefined;
  #nextYear: number;
  #coveredTo: EpochMs;

  constructor(source: TransitionSource) {
    this.#offsets = [source.initialOffsetMs];
    this.#transitionsOf = source.transitionsOf;
    this.#nextYear = source.coveredToYear;
    this.#coveredTo = source.transitionsOf === undefined ? Infinity : startOfYear(source.coveredToYear);
    this.#makeEarlier = source.earlier?.table;
    this.#coveredFrom = source.earlier === undefined ? -Infinity : startOfYear(source.earlier.beforeYear);
    for (const transition of source.transitions) this.#append(transition);
  }

  /** The offset in force at an instant, in milliseconds ahead of UTC. */
  offsetAt(instant: EpochMs): number {
    if (instant < this.#coveredFrom) return this.#before().offsetAt(instant);
    const within = this.#cover(instant);
    return this.#offsets[upperBound(this.#at, within)] ?? 0;
  }

  toLocal(instant: EpochMs): LocalMs {
    return instant + this.offsetAt(instant);
  }

  /** The instants at which the clock shows this wall time: one, two, or none. Does not depend on the present time. */
  candidates(local: LocalMs): LocalCandidates {
    // No wall time is more than two days from its instant.
    if (local < this.#coveredFrom + 2 * DAY_MS) return this.#before().candidates(local);
    const within = this.#cover(local);
    const shift = local - within;
    const index = upperBound(this.#edges, within);
    const before = this.#offsets[index] ?? 0;
    const after = this.#offsets[index + 1] ?? before;
    const at = this.#at[index] ?? Infinity;
    const instant = within - before + shift;
    // Before the earlier of the transition's two wall times, the transition is still to come.
    if (within < at + Math.min(before, after)) return { kind: 'unique', instant };
    if (after > before) return { kind: 'gap', forward: instant, end: at + shift };
    return { kind: 'overlap', first: instant, second: within - after + shift };
  }

  /**
   * The one instant of a wall time, where no policy says otherwise. A wall time in a gap moves forward by the length of the gap.
   * For a wall time that exists twice it is the first instant (push-decisions.md, "Messages").
   */
  instantOf(local: LocalMs): EpochMs {
    const found = this.candidates(local);
    if (found.kind === 'unique') return found.instant;
    return found.kind === 'gap' ? found.forward : found.first;
  }

  /** The transitions in [from, to), in order. */
  between(from: EpochMs, to: EpochMs): Transition[] {
    if (from < this.#coveredFrom) return this.#before().between(from, to);
    this.#cover(to);
    const found: Transition[] = [];
    for (let index = upperBound(this.#at, from - 1); index < this.#at.length; index += 1) {
      const at = this.#at[index] ?? Infinity;
      if (at >= to) break;
      found.push({ at, offsetMs: this.#offsets[index + 1] ?? 0 });
    }
    return found;
  }

  #before(): ZoneOffsets {
    this.#earlier ??= this.#makeEarlier?.() ?? this;
    return this.#earlier;
  }

  /**
   * Extends the table to `time`: an instant, or a wall time, which may be a day off. Returns the same time within the table's
   * cycle.
   */
  #cover(time: number): number {
    if (time + 2 * DAY_MS < this.#coveredTo) return time;
    const last = startOfYear(LAST_EXPANDED_YEAR) - 2 * DAY_MS;
    const within = time < last ? time : time - Math.ceil((time - last + 1) / CYCLE_MS) * CYCLE_MS;
    while (within + 2 * DAY_MS >= this.#coveredTo) {
      for (const transition of this.#transitionsOf?.(this.#nextYear) ?? []) this.#append(transition);
      this.#nextYear += 1;
      this.#coveredTo = startOfYear(this.#nextYear);
    }
    return within;
  }

  #append({ at, offsetMs }: Transition): void {
    const before = this.#offsets.at(-1) ?? 0;
    // A transition that only changes the name or the DST flag moves no clock.
    if (offsetMs === before) return;
    this.#at.push(at);
    this.#offsets.push(offsetMs);
    this.#edges.push(at + Math.max(before, offsetMs));
  }
}

/** A zone whose offset never changes. */
export function fixedTable(offsetMs: number): ZoneOffsets {
  return new ZoneOffsets({ initialOffsetMs: offsetMs, transitions: [], coveredToYear: 0 });
}

/** The number of values that are at most `value`. */
function upperBound(sorted: readonly number[], value: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? Infinity) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}
