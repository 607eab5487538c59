// What the pure core needs from outside and is handed: the zone rules. Files and ICU are read in platform/; this file
// holds no code.
import type { EpochMs, ZoneOffsets } from './zone-offsets.js';

export type { EpochMs };

/** A release of the tz database (`2026f`), wherever it was read from (planning.md §8). */
export interface ZoneRules {
  /** Where the rules come from, for people: a directory, or ICU with its version. */
  readonly source: string;
  /** The release, `2026f`; `unknown` where a directory does not say. Releases order as text. */
  readonly version: string;
  /** Whether `zone` is an IANA name, links included, spelt exactly. */
  has(zone: string): boolean;
  /** The zone's offsets over time; kept after the first call. Undefined for a name that has() does not know. */
  table(zone: string): ZoneOffsets | undefined;
  /** Every zone and link name, in no order. */
  names(): readonly string[];
  /** IANA zone1970: the zones of an ISO 3166-1 alpha-2 country, its own first; empty for an unknown country. */
  zonesOfCountry(country: string): readonly string[];
}
