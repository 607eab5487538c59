// ZoneRules from the ICU inside Node: always there, though often a year behind. ICU tells offsets, not transitions, so
// these are searched for, a year at a time and only as far as somebody asks.
import { DAY_MS, dateOfDays, daysOfDate, HOUR_MS, MINUTE_MS, SECOND_MS } from './civil.js';
import type { EpochMs, ZoneRules } from './zone-rules.js';
import { type Transition, ZoneOffsets } from './zone-offsets.js';
import { shippedCountryZones, shippedZoneNames } from './iana-data.js';

/** Where the search starts; what lies before it is searched the first time a zone is asked about it. */
const BASE_YEAR = 2026;
/** Before it, a zone keeps the offset it had on this year's first day. */
const FIRST_YEAR = 1970;
/**
 * Two changes that undo each other between two probes are not seen. Gaza's Ramadan weeks of the 2040s and Brazil's of
 * 2000 lie 7 days apart; of 2005 to 2037 none is nearer than 20, and a government's next idea may be nearer.
 */
const CLOSE_PROBE_MS = 5 * DAY_MS;
const WIDE_PROBE_MS = 12 * DAY_MS;

export class IcuZoneRules implements ZoneRules {
  readonly source: string;
  readonly version: string;
  readonly #tables = new Map<string, ZoneOffsets>();
  #known: ReadonlySet<string> | undefined;
  #names: readonly string[] | undefined;

  constructor(versions: Readonly<Record<string, string | undefined>> = process.versions) {
    this.source = `ICU ${versions['icu'] ?? 'unknown'}`;
    this.version = versions['tz'] ?? 'unknown';
  }

  has(zone: string): boolean {
    return this.table(zone) !== undefined;
  }

  table(zone: string): ZoneOffsets | undefined {
    const known = this.#tables.get(zone);
    if (known !== undefined) return known;
    // ICU takes names in any case and some of its own (`PST`): only the tz database's own spelling is a zone.
    this.#known ??= knownNames();
    const offsetAt = this.#known.has(zone) ? offsetReader(zone) : undefined;
    if (offsetAt === undefined) return undefined;
    const table = tableFrom(BASE_YEAR, offsetAt);
    this.#tables.set(zone, table);
    return table;
  }

  /** Dear the first time: every name is tried. */
  names(): readonly string[] {
    this.#known ??= knownNames();
    this.#names ??= [...this.#known].filter((name) => clockOf(name) !== undefined);
    return this.#names;
  }

  zonesOfCountry(country: string): readonly string[] {
    return shippedCountryZones().get(country) ?? [];
  }
}

/** ICU names canonical zones only; the links are the tz database's. */
function knownNames(): Set<string> {
  return new Set([...Intl.supportedValuesOf('timeZone'), ...shippedZoneNames()]);
}

type OffsetReader = (instant: EpochMs) => number;

function tableFrom(year: number, offsetAt: OffsetReader): ZoneOffsets {
  const earlier = year > FIRST_YEAR ? () => tableFrom(FIRST_YEAR, offsetAt) : undefined;
  return new ZoneOffsets({
    initialOffsetMs: offsetAt(startOf(year)),
    transitions: [],
    coveredToYear: year,
    transitionsOf: (of) => search(of, offsetAt),
    ...(earlier === undefined ? {} : { earlier: { beforeYear: year, table: earlier } }),
  });
}

function search(year: number, offsetAt: OffsetReader): Transition[] {
  const step = year > 2004 && year < 2038 ? WIDE_PROBE_MS : CLOSE_PROBE_MS;
  const end = startOf(year + 1);
  const found: Transition[] = [];
  let from = startOf(year);
  let before = offsetAt(from);
  while (from < end) {
    const to = Math.min(from + step, end);
    const after = offsetAt(to);
    if (after !== before) found.push({ at: bisect(from, to, before, offsetAt), offsetMs: after });
    from = to;
    before = after;
  }
  return found;
}

const QUARTER_MS = 15 * MINUTE_MS;

/** The first second in (from, to] whose offset is not `before`. Nearly all lie on a quarter of an hour, and are found there. */
function bisect(from: EpochMs, to: EpochMs, before: number, offsetAt: OffsetReader): EpochMs {
  const isBefore = (instant: EpochMs): boolean => offsetAt(instant) === before;
  const quarter = bisectBy(QUARTER_MS, from, to, isBefore);
  if (isBefore(quarter - SECOND_MS)) return quarter;
  return bisectBy(SECOND_MS, quarter - QUARTER_MS, quarter, isBefore);
}

/** Both ends are multiples of `step`. */
function bisectBy(step: number, from: EpochMs, to: EpochMs, isBefore: (at: EpochMs) => boolean): EpochMs {
  let low = from / step;
  let high = to / step;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (isBefore(middle * step)) low = middle;
    else high = middle;
  }
  return high * step;
}

const READING = /^(\d+), (\d+):(\d+):(\d+)$/;

/** Reads offsets off a formatted clock: 1 µs each, where asking for the offset's name costs half as much again. */
function offsetReader(zone: string): OffsetReader | undefined {
  const format = clockOf(zone);
  if (format === undefined) return undefined;
  return (instant) => {
    const [, day = '', hour = '', minute = '', second = ''] = READING.exec(format.format(instant)) ?? [];
    const local = Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * SECOND_MS;
    const days = Math.floor(instant / DAY_MS);
    const sameDay = local - (instant - days * DAY_MS);
    // The day of the month tells yesterday, today and tomorrow apart.
    for (const shift of [0, 1, -1]) {
      if (dayOfMonth(days + shift) === Number(day)) return sameDay + shift * DAY_MS;
    }
    throw new RangeError(`no offset of ${zone} can be read at ${instant}`);
  };
}

function clockOf(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function dayOfMonth(days: number): number {
  return dateOfDays(days).day;
}

function startOf(year: number): EpochMs {
  return daysOfDate({ year, month: 1, day: 1 }) * DAY_MS;
}
