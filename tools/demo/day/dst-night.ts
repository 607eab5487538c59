// Chooses the day that `npm run demo -- --day` runs through: on which date a clock of the tour is moved, and which wall time the change
// makes strange. Pure; it reads the zones with Luxon, so that the tour does not check the scheduler's rules with themselves.
import { DateTime } from 'luxon';
import type { EpochMs } from '../../../src/platform/clock.js';

const MINUTE_MS = 60_000;
/** Every zone that moves its clock does so within that time. */
const SEARCHED_DAYS = 400;

export interface ClockChange {
  readonly zone: string;
  /** gap: the clock skips wallTime. overlap: it shows it twice. */
  readonly kind: 'gap' | 'overlap';
  /** HH:mm, in the middle of the gap or the overlap. */
  readonly wallTime: string;
}

/** The clocks of these zones that are moved on the date, in the order of the zones. Throws a RangeError for what is no date. */
export function clockChanges(date: string, zones: readonly string[]): ClockChange[] {
  return zones.flatMap((zone) => {
    const start = startOfDate(date, zone);
    const end = start.plus({ days: 1 });
    const movedMs = (end.offset - start.offset) * MINUTE_MS;
    if (movedMs === 0) return [];
    const at = changeBetween(start.toMillis(), end.toMillis(), zone);
    // On the old clock a gap begins where the change is, and an overlap ends there.
    const middle = at + start.offset * MINUTE_MS + movedMs / 2;
    const wallTime = DateTime.fromMillis(middle, { zone: 'UTC' }).toFormat('HH:mm');
    return [{ zone, kind: movedMs > 0 ? ('gap' as const) : ('overlap' as const), wallTime }];
  });
}

/** The first date after `now` (UTC) on which the clock of one of the zones is moved. */
export function nextDstDate(now: EpochMs, zones: readonly string[]): string {
  const today = DateTime.fromMillis(now, { zone: 'UTC' }).startOf('day');
  for (let days = 1; days <= SEARCHED_DAYS; days += 1) {
    const date = today.plus({ days }).toFormat('yyyy-MM-dd');
    if (clockChanges(date, zones).length > 0) return date;
  }
  throw new RangeError('none of the zones moves its clock');
}

/** When the clock of the zone shows the wall time of that date. In a gap it is as long after the gap's start. */
export function instantOf(date: string, wallTime: string, zone: string): EpochMs {
  return DateTime.fromISO(`${date}T${wallTime}`, { zone }).toMillis();
}

function startOfDate(date: string, zone: string): DateTime {
  const start = DateTime.fromFormat(date, 'yyyy-MM-dd', { zone });
  if (!start.isValid || !/^\d{4}-\d{2}-\d{2}$/.test(date))
    throw new RangeError(`${date} is no date; give one as 2027-03-28`);
  return start.startOf('day');
}

/** The first instant in between from which the offset is that of the end; to the minute. */
function changeBetween(from: EpochMs, to: EpochMs, zone: string): EpochMs {
  const offsetAt = (at: EpochMs): number => DateTime.fromMillis(at, { zone }).offset;
  let [before, after] = [from, to];
  while (after - before > MINUTE_MS) {
    const middle = before + Math.floor((after - before) / 2 / MINUTE_MS) * MINUTE_MS;
    if (offsetAt(middle) === offsetAt(to)) after = middle;
    else before = middle;
  }
  return after;
}
