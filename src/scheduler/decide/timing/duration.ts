// ISO 8601 durations as policies use them: a calendar part, which is added on a wall clock, and an exact part.
import { Duration } from 'luxon';

/** Days are separate from hours: a day with a DST change is not 24 hours long. */
export interface CalendarDuration {
  readonly months: number;
  readonly days: number;
  readonly ms: number;
}

/** Reads `P1D`, `PT30M`, `P1DT12H`; undefined for anything else, and for a negative or fractional calendar part. */
export function parseDuration(text: string): CalendarDuration | undefined {
  const parsed = Duration.fromISO(text);
  // luxon accepts a bare P as no time at all, and a T with nothing after it.
  if (!parsed.isValid || !/\d/.test(text) || text.endsWith('T')) return undefined;
  const { years = 0, months = 0, weeks = 0, days = 0, ...exact } = parsed.toObject();
  const duration = {
    months: years * 12 + months,
    days: weeks * 7 + days,
    ms: Math.round(Duration.fromObject(exact).toMillis()),
  };
  const usable =
    Number.isInteger(duration.months) &&
    Number.isInteger(duration.days) &&
    Object.values(parsed.toObject()).every((value) => value >= 0);
  return usable ? duration : undefined;
}

/** The length where no calendar applies (lateness, jitter): a day is 24 hours. Undefined for a duration with months. */
export function exactMs(duration: CalendarDuration): number | undefined {
  return duration.months === 0 ? duration.days * 86_400_000 + duration.ms : undefined;
}
