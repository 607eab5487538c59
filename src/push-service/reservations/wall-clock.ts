// From a wall-clock reading in an IANA zone to the instant (push-decisions.md, "Messages"): inside a gap it is moved
// forward by the gap, inside an overlap the first of the two is meant. Never counts hours across a change of offset.
import { IANAZone } from 'luxon';
import type { EpochMs } from '../../platform/clock.js';
import { shippedZoneNames } from '../../zone-rules/iana-data.js';
import { offsetMs } from '../gateway/zone-offset.js';

/** Names start with a letter; `+09:00`, which the runtime takes as well, is no name of the database. */
const NAME = /^[A-Za-z][A-Za-z0-9_+/-]*$/;

const shipped = new Set(shippedZoneNames());

/** Names found valid: to ask the runtime builds a formatter, which costs more than all the rest of a check. */
const valid = new Set<string>();

/** There are some 600 names. */
const MAX_VALID = 2_000;

/** Whether it is a name of the time-zone database that the runtime knows, written as the database writes it. */
export function isTimeZone(name: string): boolean {
  if (valid.has(name)) return true;
  const known =
    NAME.test(name) &&
    name.length <= 64 &&
    IANAZone.isValidZone(name) &&
    (shipped.has(name) || isOwnName(name));
  if (known && valid.size < MAX_VALID) valid.add(name);
  return known;
}

/** The runtime takes names in any case; of one newer than the shipped list it tells the right one. */
function isOwnName(name: string): boolean {
  return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone === name;
}

const DAY_MS = 86_400_000;

/** `localMs` is the reading as if it were UTC, epoch milliseconds; `zone` must be known. */
export function instantOf(localMs: number, zone: string): EpochMs {
  const offsetAt = (at: EpochMs): number => offsetMs(zone, at);
  // Around any local reading at most one change of offset lies within a day; both its sides are tried.
  const before = offsetAt(localMs - DAY_MS);
  const after = offsetAt(localMs + DAY_MS);
  const candidates = [localMs - before, localMs - after].filter((at) => at + offsetAt(at) === localMs);
  // No candidate: the reading lies in a gap, and the offset before it carries the same distance past it.
  return candidates.length === 0 ? localMs - before : Math.min(...candidates);
}

/** The reading of `yyyy-MM-dd HH:mm` as if it were UTC. */
export function readingOf(reserveTime: string): number {
  return Date.parse(`${reserveTime.replace(' ', 'T')}:00Z`);
}
