// How far a send may be moved at most (planning.md §4): intendedAt + deadline, days and months on the cell's calendar.
import { addCalendar } from '../../../zone-rules/civil.js';
import type { CalendarDuration } from '../timing/duration.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { ZoneOffsets } from '../../../zone-rules/zone-offsets.js';

/**
 * `P1D` ends at the same wall time on the next day, 23 or 25 hours on when clocks change: `next-day` is then never cut
 * off by an hour. Where that wall time is skipped it is moved past the gap, where it exists twice the second counts.
 */
export function deadlineOf(intendedAt: EpochMs, deadline: CalendarDuration, table: ZoneOffsets): EpochMs {
  if (deadline.months === 0 && deadline.days === 0) return intendedAt + deadline.ms;
  const found = table.candidates(addCalendar(table.toLocal(intendedAt), deadline));
  if (found.kind === 'gap') return found.forward + deadline.ms;
  return (found.kind === 'overlap' ? found.second : found.instant) + deadline.ms;
}
