// Wall times as numbers. Local milliseconds count from 1970-01-01T00:00 on a wall clock, so that code can compare and add wall
// times like instants. Knows no zone.

/** A wall time as milliseconds since 1970-01-01T00:00 on the same clock. Never mix it with EpochMs. */
export type LocalMs = number;

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

export interface CivilDate {
  year: number;
  /** 1–12. */
  month: number;
  /** 1–31. */
  day: number;
}

/**
 * Days from 1970-01-01 to a date of the proleptic Gregorian calendar. Years begin in March, so that a leap day is the last day of
 * its year.
 */
export function daysOfDate({ year, month, day }: CivilDate): number {
  const marchYear = month > 2 ? year : year - 1;
  const marchMonth = (month + 9) % 12;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  // There are 719 468 days between 0000-03-01 and 1970-01-01.
  return marchYear * 365 + leapDays + Math.floor((153 * marchMonth + 2) / 5) + day - 1 - 719_468;
}

/** The date `days` days after 1970-01-01. */
export function dateOfDays(days: number): CivilDate {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1_460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  return {
    year: era * 400 + yearOfEra + (month <= 2 ? 1 : 0),
    month,
    day: dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1,
  };
}

/** The first instant (or wall time) of a year. */
export function startOfYear(year: number): number {
  return daysOfDate({ year, month: 1, day: 1 }) * DAY_MS;
}

/** 1 Monday … 7 Sunday. */
export function weekdayOfDays(days: number): number {
  return ((((days + 3) % 7) + 7) % 7) + 1;
}

export function daysInMonth(year: number, month: number): number {
  const next = month === 12 ? { year: year + 1, month: 1, day: 1 } : { year, month: month + 1, day: 1 };
  return daysOfDate(next) - daysOfDate({ year, month, day: 1 });
}

const LOCAL =
  /^(?!0000)(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d))?$/;

/** Reads `2027-03-01T09:00[:ss]`; undefined where the date or the time of day does not exist. */
export function parseLocal(text: string): LocalMs | undefined {
  const found = LOCAL.exec(text)?.slice(1);
  if (found === undefined) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = found.map((digits) =>
    Number(digits ?? 0),
  );
  if (day > daysInMonth(year, month)) return undefined;
  return daysOfDate({ year, month, day }) * DAY_MS + hour * HOUR_MS + minute * MINUTE_MS + second * SECOND_MS;
}

const two = (value: number): string => String(value).padStart(2, '0');

export function formatDate(days: number): string {
  const { year, month, day } = dateOfDays(days);
  return `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`;
}

/** `HH:mm`, with `:ss` unless the seconds are 0. */
export function formatTime(msOfDay: number): string {
  const seconds = Math.floor(msOfDay / SECOND_MS);
  const text = `${two(Math.floor(seconds / 3_600))}:${two(Math.floor(seconds / 60) % 60)}`;
  return seconds % 60 === 0 ? text : `${text}:${two(seconds % 60)}`;
}

export function splitLocal(local: LocalMs): { days: number; msOfDay: number } {
  const days = Math.floor(local / DAY_MS);
  return { days, msOfDay: local - days * DAY_MS };
}

/** `2027-03-01T09:00[:ss]`, as parseLocal reads it. */
export function formatLocal(local: LocalMs): string {
  const { days, msOfDay } = splitLocal(local);
  return `${formatDate(days)}T${formatTime(msOfDay)}`;
}

/** `+09:00`, with `:ss` unless the seconds are 0. */
export function formatOffset(offsetMs: number): string {
  return `${offsetMs < 0 ? '-' : '+'}${formatTime(Math.abs(offsetMs))}`;
}

/** Adds calendar months and days to a wall time. In a shorter month, the 31st becomes the last day. */
export function addCalendar(local: LocalMs, add: { months: number; days: number }): LocalMs {
  const { days, msOfDay } = splitLocal(local);
  const { year, month, day } = dateOfDays(days);
  const monthIndex = year * 12 + (month - 1) + add.months;
  const to = { year: Math.floor(monthIndex / 12), month: (monthIndex % 12) + 1 };
  const toDay = Math.min(day, daysInMonth(to.year, to.month));
  return (daysOfDate({ ...to, day: toDay }) + add.days) * DAY_MS + msOfDay;
}
