// ZoneRules from the ICU library inside Node: always available, but often a year behind. ICU knows offsets and not transitions,
// so this file searches for transitions, one year at a time, and only in years that somebody asks for.
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, startOfYear } from './civil.js';
import type { EpochMs, ZoneRules } from './zone-rules.js';
import { type Transition, ZoneOffsets } from './zone-offsets.js';
import { shippedCountryZones, shippedZoneNames } from './iana-data.js';

/** The search starts here. Earlier years are searched when somebody first asks a zone for one of them. */
const BASE_YEAR = 2026;
/** Before this year, a zone counts as having the offset of the year's first day. */
const FIRST_YEAR = 1970;
/**
 * The search misses two changes that cancel each other between two probes. In Gaza in the Ramadans of the 2040s, and in Brazil in
 * 2000, changes are 7 days apart. From 2005 to 2037 no two changes are closer than 20 days, but a government may decide on closer
 * changes.
 */
const CLOSE_PROBE_MS = 5 * DAY_MS;
const WIDE_PROBE_MS = 12 * DAY_MS;

export class IcuZoneRules implements ZoneRules {
  readonly source: string;
  readonly version: string;
  readonly #tables = new Map<string, ZoneOffsets>();
  #known: ReadonlySet<string> | undefined;

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
    // ICU accepts any letter case and names of its own (`PST`). Only the tz database's spelling counts as a zone.
    this.#known ??= knownNames();
    const offsetAt = this.#known.has(zone) ? offsetReader(zone) : undefined;
    if (offsetAt === undefined) return undefined;
    const table = tableFrom(BASE_YEAR, offsetAt);
    this.#tables.set(zone, table);
    return table;
  }

  /** Slow the first time, because it tries every name. */
  names(): readonly string[] {
    this.#known ??= knownNames();
    return [...this.#known].filter((name) => this.has(name));
  }

  zonesOfCountry(country: string): readonly string[] {
    return shippedCountryZones().get(country) ?? [];
  }
}

/** ICU lists only canonical zones. The links come from the tz database. */
function knownNames(): Set<string> {
  return new Set([...Intl.supportedValuesOf('timeZone'), ...shippedZoneNames()]);
}

type OffsetReader = (instant: EpochMs) => number;

function tableFrom(year: number, offsetAt: OffsetReader): ZoneOffsets {
  return new ZoneOffsets({
    initialOffsetMs: offsetAt(startOfYear(year)),
    transitions: [],
    coveredToYear: year,
    transitionsOf: (later) => search(later, offsetAt),
    ...(year > FIRST_YEAR && { earlier: { beforeYear: year, table: () => tableFrom(FIRST_YEAR, offsetAt) } }),
  });
}

function search(year: number, offsetAt: OffsetReader): Transition[] {
  const step = year > 2004 && year < 2038 ? WIDE_PROBE_MS : CLOSE_PROBE_MS;
  const end = startOfYear(year + 1);
  const found: Transition[] = [];
  let from = startOfYear(year);
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

/** The first second in (from, to] whose offset differs from `before`. Both ends are whole seconds. */
function bisect(from: EpochMs, to: EpochMs, before: number, offsetAt: OffsetReader): EpochMs {
  let low = from / SECOND_MS;
  let high = to / SECOND_MS;
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if (offsetAt(middle * SECOND_MS) === before) low = middle;
    else high = middle;
  }
  return high * SECOND_MS;
}

/** The format of `longOffset`: `GMT`, `GMT+09:00`, with seconds in older years. */
const OFFSET = /GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/;

function offsetReader(zone: string): OffsetReader | undefined {
  const format = formatOf(zone);
  if (format === undefined) return undefined;
  return (instant) => {
    const found = OFFSET.exec(format.format(instant));
    if (found === null) throw new RangeError(`no offset of ${zone} can be read at ${instant}`);
    const [, sign, hour = 0, minute = 0, second = 0] = found;
    const length = Number(hour) * HOUR_MS + Number(minute) * MINUTE_MS + Number(second) * SECOND_MS;
    return sign === '-' ? -length : length;
  };
}

function formatOf(zone: string): Intl.DateTimeFormat | undefined {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
