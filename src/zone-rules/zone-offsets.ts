// One zone's offsets over time, as sorted arrays with a binary search. Built by the readers in platform/, read by
// everything that turns wall times into instants and back. Holds no policy.
import { DAY_MS, daysOfDate, type LocalMs } from './civil.js';

/** Milliseconds since 1970-01-01T00:00:00Z. */
export type EpochMs = number;

/** From `at` on, the zone is `offsetMs` ahead of UTC. */
export interface Transition {
  readonly at: EpochMs;
  readonly offsetMs: number;
}

/** What a wall time is on a zone's clock; candidates in order of instant. */
export type LocalCandidates =
  | { readonly kind: 'unique'; readonly instant: EpochMs }
  /** It exists twice. */
  | { readonly kind: 'overlap'; readonly first: EpochMs; readonly second: EpochMs }
  /** It is skipped; `forward` lies as far past the gap as the wall time past its start, `end` is the gap's end. */
  | { readonly kind: 'gap'; readonly forward: EpochMs; readonly end: EpochMs };

export interface TransitionSource {
  /** The offset before the first transition. */
  readonly initialOffsetMs: number;
  readonly transitions: readonly Transition[];
  /** The transitions above are all there are before this year (UTC). */
  readonly coveredToYear: number;
  /** The transitions of a later year, in order; asked year after year, once each. Absent: there are none. */
  readonly transitionsOf?: (year: number) => readonly Transition[];
  /** Made when a time before `beforeYear` is first asked for; absent: the initial offset held for ever. */
  readonly earlier?: { readonly beforeYear: number; readonly table: () => ZoneOffsets };
}

/** The Gregorian calendar, weekdays included, repeats exactly: 146 097 days. */
const CYCLE_MS = 146_097 * DAY_MS;
/** Rules of recurring transitions repeat with the calendar, so nothing beyond this year is ever expanded. */
const LAST_EXPANDED_YEAR = 2_440;

export class ZoneOffsets {
  /** Instants of the transitions; #offsets has one more, its [i] holding before #at[i] and its [i + 1] from it on. */
  readonly #at: number[] = [];
  readonly #offsets: number[];
  /** The later wall time at transition i, max(before, after): wall times from it on lie past the transition. */
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

  /** The offset in force at an instant, milliseconds ahead of UTC. */
  offsetAt(instant: EpochMs): number {
    if (instant < this.#coveredFrom) return this.#before().offsetAt(instant);
    const within = this.#cover(instant);
    return this.#offsets[upperBound(this.#at, within)] ?? 0;
  }

  toLocal(instant: EpochMs): LocalMs {
    return instant + this.offsetAt(instant);
  }

  /** Which instants show this wall time: one, two, or none. Independent of now. */
  candidates(local: LocalMs): LocalCandidates {
    // Two days: no wall time is further from its instant.
    if (local < this.#coveredFrom + 2 * DAY_MS) return this.#before().candidates(local);
    const within = this.#cover(local);
    const shift = local - within;
    const index = upperBound(this.#edges, within);
    const before = this.#offsets[index] ?? 0;
    const at = this.#at[index];
    if (at === undefined) return { kind: 'unique', instant: within - before + shift };
    const after = this.#offsets[index + 1] ?? before;
    // Before the earlier of its two wall times the transition has not come yet.
    if (within < at + Math.min(before, after)) return { kind: 'unique', instant: within - before + shift };
    if (after > before) return { kind: 'gap', forward: within - before + shift, end: at + shift };
    return { kind: 'overlap', first: within - before + shift, second: within - after + shift };
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

  /** Makes the table reach `time` (an instant or a wall time, give or take a day) and returns it within the table. */
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
    // A change of name or of the DST flag alone moves no clock.
    if (offsetMs === before) return;
    this.#at.push(at);
    this.#offsets.push(offsetMs);
    this.#edges.push(at + Math.max(before, offsetMs));
  }
}

/** A zone that is always the same distance from UTC. */
export function fixedTable(offsetMs: number): ZoneOffsets {
  return new ZoneOffsets({ initialOffsetMs: offsetMs, transitions: [], coveredToYear: 0 });
}

function startOfYear(year: number): EpochMs {
  return daysOfDate({ year, month: 1, day: 1 }) * DAY_MS;
}

/** The number of values ≤ `value`: where it would go behind its equals. */
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
