// Parses the footer of a TZif file: a POSIX TZ string with the extension of RFC 9636 §3.3.1 (hours from −167 to 167). It is the
// rule for all times after the file's last transition.
import { DAY_MS, SECOND_MS, dateOfDays, daysInMonth, daysOfDate, weekdayOfDays } from './civil.js';
import type { Transition } from './zone-offsets.js';

export interface PosixTz {
  /** The offset of standard time; the only offset where there are no transitions. */
  readonly standardOffsetMs: number;
  /** The transitions of a year, in order. Absent where the zone has no daylight-saving time. */
  readonly transitionsOf?: (year: number) => readonly Transition[];
}

const NAME = '(?:<[A-Za-z0-9+-]{3,}>|[A-Za-z]{3,})';
const TIME = '[+-]?\\d{1,3}(?::\\d{2}(?::\\d{2})?)?';
const DAY = '(?:M\\d{1,2}\\.[1-5]\\.[0-6]|J\\d{1,3}|\\d{1,3})';
const POSIX = new RegExp(
  `^${NAME}(${TIME})(?:${NAME}(${TIME})?,(${DAY})(?:/(${TIME}))?,(${DAY})(?:/(${TIME}))?)?$`,
);

/** Throws a RangeError for a string in another form. */
export function parsePosixTz(text: string): PosixTz {
  const match = POSIX.exec(text);
  const [, standard, daylight, startDay, startTime, endDay, endTime] = match ?? [];
  if (standard === undefined) throw new RangeError(`not a POSIX TZ string: ${text}`);
  // POSIX counts offsets west of Greenwich.
  const standardOffsetMs = 0 - timeMs(standard);
  if (startDay === undefined || endDay === undefined) return { standardOffsetMs };
  const daylightOffsetMs = daylight === undefined ? standardOffsetMs + 3_600_000 : 0 - timeMs(daylight);
  const transitionsOf = (year: number): Transition[] =>
    [
      { at: wallOf(year, startDay, startTime) - standardOffsetMs, offsetMs: daylightOffsetMs },
      { at: wallOf(year, endDay, endTime) - daylightOffsetMs, offsetMs: standardOffsetMs },
    ].sort((a, b) => a.at - b.at);
  return { standardOffsetMs, transitionsOf };
}

function timeMs(text: string): number {
  const [hours = 0, minutes = 0, seconds = 0] = text.replace(/^[+-]/, '').split(':').map(Number);
  const length = (hours * 3_600 + minutes * 60 + seconds) * SECOND_MS;
  return text.startsWith('-') ? -length : length;
}

/** The wall time of a rule in a year; at 02:00 where the rule gives no time. */
function wallOf(year: number, day: string, time = '02:00'): number {
  return dayOf(year, day) * DAY_MS + timeMs(time);
}

function dayOf(year: number, rule: string): number {
  const newYear = daysOfDate({ year, month: 1, day: 1 });
  if (rule.startsWith('J')) {
    // Jn counts 1–365 and leaves out the leap day.
    const n = Number(rule.slice(1));
    const isLeap = daysInMonth(year, 2) === 29;
    return newYear + n - 1 + (isLeap && n >= 60 ? 1 : 0);
  }
  if (!rule.startsWith('M')) return newYear + Number(rule);
  const [month = 1, week = 1, posixWeekday = 0] = rule.slice(1).split('.').map(Number);
  const first = daysOfDate({ year, month, day: 1 });
  const weekday = posixWeekday === 0 ? 7 : posixWeekday;
  const nth = first + ((weekday - weekdayOfDays(first) + 7) % 7) + (week - 1) * 7;
  // Week 5 means the last week, which may be the fourth.
  return dateOfDays(nth).month === month ? nth : nth - 7;
}
