// How far anything may move a send (planning.md §4): intendedAt + deadline, with days and months on the cell's calendar.
import { addCalendar } from '../../../zone-rules/civil.js';
import type { EpochMs, ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import type { CalendarDuration } from '../timing/duration.js';

/**
 * `P1D` ends at the same wall time on the next day, 23 or 25 hours later where clocks change, so that `next-day` never misses
 * it by an hour. A wall time in a gap is moved past the gap; of a wall time that exists twice, the second counts.
 */
export function deadlineOf(intendedAt: EpochMs, deadline: CalendarDuration, table: ZoneOffsets): EpochMs {
  if (deadline.months === 0 && deadline.days === 0) return intendedAt + deadline.ms;
  const found = table.candidates(addCalendar(table.toLocal(intendedAt), deadline));
  if (found.kind === 'gap') return found.forward + deadline.ms;
  return (found.kind === 'overlap' ? found.second : found.instant) + deadline.ms;
}
