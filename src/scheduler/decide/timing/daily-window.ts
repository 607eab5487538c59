// Daily windows on a recipient's clock (planning.md §4): night and quiet hours. Judged by what the wall clock shows, even
// on a night with a DST change, never by elapsed hours.
import { DAY_MS, formatTime, MINUTE_MS, splitLocal } from '../../../zone-rules/civil.js';
import type { DailyWindow } from './campaign-policy.js';
import type { EpochMs, ZoneOffsets } from '../../../zone-rules/zone-offsets.js';

/** Night for AD messages, 21:00–08:00. The push service judges consent by the same hours. */
export const NIGHT_WINDOW: DailyWindow = { startMinute: 21 * 60, endMinute: 8 * 60 };

const DAY_MINUTES = 24 * 60;

/** Whether the zone's clock shows a time in [start, end) at this instant. A window whose ends are equal is empty. */
export function insideWindow(instant: EpochMs, table: ZoneOffsets, window: DailyWindow): boolean {
  const { startMinute, endMinute } = window;
  const minute = Math.floor(splitLocal(table.toLocal(instant)).msOfDay / MINUTE_MS);
  return startMinute <= endMinute
    ? minute >= startMinute && minute < endMinute
    : minute >= startMinute || minute < endMinute;
}

/**
 * `instant` itself where it is outside the window, else the first instant at which the window's end has come. An end inside a gap
 * comes right after the gap, unless the window has started again by then. If an end comes twice, the next one counts. A start that
 * comes a second time does not count.
 */
export function firstOutside(instant: EpochMs, table: ZoneOffsets, window: DailyWindow): EpochMs {
  if (!insideWindow(instant, table, window)) return instant;
  const { days } = splitLocal(table.toLocal(instant));
  // From the day before: a clock that is set back shows today's end again or, just after midnight, yesterday's end.
  for (let day = days - 1; ; day += 1) {
    const end = endOn(day, instant, table, window);
    if (end !== undefined && end > instant) return end;
  }
}

/** What the clock shows at `instant` where that is not the window's end: the end of a window that lies in a gap has moved. */
export function movedEnd(instant: EpochMs, table: ZoneOffsets, window: DailyWindow): string | undefined {
  const { msOfDay } = splitLocal(table.toLocal(instant));
  return msOfDay === (window.endMinute % DAY_MINUTES) * MINUTE_MS ? undefined : formatTime(msOfDay);
}

/** When the clock shows the window's end on that day, after `instant` if it can; undefined where it never does. */
function endOn(day: number, instant: EpochMs, table: ZoneOffsets, window: DailyWindow): EpochMs | undefined {
  const found = table.candidates(day * DAY_MS + (window.endMinute % DAY_MINUTES) * MINUTE_MS);
  if (found.kind === 'unique') return found.instant;
  if (found.kind === 'gap') return insideWindow(found.end, table, window) ? undefined : found.end;
  return found.first > instant ? found.first : found.second;
}
