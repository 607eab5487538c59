// At which times of a day a recurrence rule fires: in order, each once, as milliseconds of the day.
import { HOUR_MS, MINUTE_MS, splitLocal, type LocalMs } from '../../../zone-rules/civil.js';
import type { RuleParts } from './rule-parts.js';

/** BYHOUR and BYMINUTE expand any frequency above them (RFC 5545 §3.3.10, the table); seconds are the start's. */
export function timesOfDay(parts: RuleParts, start: LocalMs): (day: number) => readonly number[] {
  const { frequency, interval, hours, minutes } = parts;
  const seconds = start % MINUTE_MS;
  const timesOf = (some: readonly number[]): number[] =>
    some.flatMap((hour) => minutes.map((minute) => hour * HOUR_MS + minute * MINUTE_MS + seconds));
  if (frequency !== 'HOURLY') {
    const times = timesOf(hours);
    return () => times;
  }
  // The hours whose distance from the start is a multiple of the interval: the first of the day says them all.
  const { days: startDay, msOfDay } = splitLocal(start);
  const startHour = Math.floor(msOfDay / HOUR_MS);
  const byFirstHour = Array.from({ length: Math.min(interval, 24) }, (_, first) =>
    timesOf(Array.from({ length: Math.ceil((24 - first) / interval) }, (_none, n) => first + n * interval)),
  );
  return (day) => {
    const before = (day - startDay) * 24 - startHour;
    const firstHour = (interval - (before % interval)) % interval;
    return byFirstHour[firstHour] ?? [];
  };
}
