// What a zone's clocks are ahead of UTC by, remembered: to ask the runtime formats a date and reads it back, 20 µs and
// more, and every message and every answer asks.
import { IANAZone } from 'luxon';
import type { EpochMs } from '../../platform/clock.js';

const HOUR_MS = 3_600_000;

/** Of all zones together; a year of one zone is 8 760. */
const MAX_HOURS = 50_000;

const known = new Map<string, number>();

/** Milliseconds at the instant; `zone` must be a name of the time-zone database. */
export function offsetMs(zone: string, at: EpochMs): number {
  const hour = Math.floor(at / HOUR_MS);
  const key = `${zone} ${hour}`;
  const remembered = known.get(key);
  if (remembered !== undefined) return remembered;
  const rules = IANAZone.create(zone);
  const first = rules.offset(hour * HOUR_MS);
  // Not every change is on the hour: the few hours that hold one are asked about each time.
  if (first !== rules.offset((hour + 1) * HOUR_MS - 1)) return rules.offset(at) * 60_000;
  if (known.size >= MAX_HOURS) known.clear();
  known.set(key, first * 60_000);
  return first * 60_000;
}
