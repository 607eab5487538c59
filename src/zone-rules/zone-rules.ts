// The port through which the pure core gets zone rules. The readers of zone files and of ICU implement it. This file has no code.
import type { EpochMs, ZoneOffsets } from './zone-offsets.js';

export type { EpochMs };

/** A release of the tz database (`2026f`), from files or from ICU (planning.md §8). */
export interface ZoneRules {
  /** Where the rules come from, for display: a directory, or ICU with its version. */
  readonly source: string;
  /** The release, such as `2026f`; `unknown` where the directory does not name it. Releases sort as text. */
  readonly version: string;
  /** Whether `zone` is an IANA name (a zone or a link), with exact spelling. */
  has(zone: string): boolean;
  /** The zone's offsets over time, cached after the first call; undefined where has() is false. */
  table(zone: string): ZoneOffsets | undefined;
  /** Every zone and link name, in no order. */
  names(): readonly string[];
  /** From IANA zone1970: the zones of an ISO 3166-1 alpha-2 country, starting with its own; empty for an unknown country. */
  zonesOfCountry(country: string): readonly string[];
}
