// Where a window defers to, against a clock that is read minute by minute.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { iso, rules } from '../../../../test/support/planning/planning.js';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../../zone-rules/civil.js';
import type { DailyWindow } from './campaign-policy.js';
import { firstOutside, insideWindow } from './daily-window.js';
import type { ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import { requireZoneTable } from '../audience/zone-by-name.js';

const DAY_MINUTES = 24 * 60;
const minuteOf = (time: string): number => Number(time.slice(0, 2)) * 60 + Number(time.slice(3));
const window = (start: string, end: string): DailyWindow => ({
  startMinute: minuteOf(start),
  endMinute: minuteOf(end),
});

describe('firstOutside (planning.md §4), where clocks change at midnight', () => {
  it.each([
    // In Havana 01:00 becomes 00:00 of the same day.
    [
      '00:00 comes again that day',
      'America/Havana',
      '2024-11-03T04:59:59Z',
      '00:30',
      '00:00',
      '2024-11-03T05:00Z',
    ],
    [
      'and then next on the day after',
      'America/Havana',
      '2024-11-03T05:30Z',
      '00:30',
      '00:00',
      '2024-11-04T05:00Z',
    ],
    [
      'an end past midnight comes again',
      'America/Havana',
      '2024-11-03T04:59Z',
      '00:15',
      '00:10',
      '2024-11-03T05:10Z',
    ],
    ['24:00 is 00:00', 'America/Havana', '2024-11-03T04:59Z', '00:30', '24:00', '2024-11-03T05:00Z'],
    [
      'the start coming again is no end',
      'America/Havana',
      '2024-11-03T04:59Z',
      '00:30',
      '12:00',
      '2024-11-03T17:00Z',
    ],
    // There 00:00 becomes 01:00.
    [
      'an end in the gap comes right after it',
      'America/Havana',
      '2024-03-10T04:30Z',
      '23:00',
      '00:00',
      '2024-03-10T05:00Z',
    ],
    [
      'a window that begins anew in the gap goes on',
      'America/Havana',
      '2024-03-10T04:30Z',
      '00:45',
      '00:30',
      '2024-03-11T04:30Z',
    ],
    // In St. John's 00:01 became 23:01 of the day before.
    [
      'yesterday comes again',
      'America/St_Johns',
      '2010-11-07T02:30:30Z',
      '00:00',
      '23:30',
      '2010-11-07T03:00Z',
    ],
    // Samoa left out the 30th.
    [
      'a day left out ends nothing twice',
      'Pacific/Apia',
      '2011-12-30T09:00Z',
      '21:00',
      '08:00',
      '2011-12-30T18:00Z',
    ],
  ])('%s: %s', (_name, zone, instant, start, end, allowed) => {
    const table = requireZoneTable(zone, rules);
    expect(iso(firstOutside(Date.parse(instant), table, window(start, end)))).toBe(allowed);
  });
});

describe('windows on the night clocks go back (planning.md §4)', () => {
  const newYork = requireZoneTable('America/New_York', rules);
  const halfPast = { startMinute: 90, endMinute: 150 };
  it('last until their end has come, though the hour before it comes round again', () => {
    // 01:50 the first time; at 02:00 it is 01:00 again, and 02:30 is an hour and 40 minutes off.
    const instant = Date.parse('2027-11-07T05:50Z');
    expect(iso(firstOutside(instant, newYork, halfPast))).toBe('2027-11-07T07:30Z');
    expect(insideWindow(Date.parse('2027-11-07T06:10Z'), newYork, halfPast)).toBe(false);
  });
  it('an end that comes twice counts the first time it comes, and then again', () => {
    const early = { startMinute: 23 * 60, endMinute: 90 };
    expect(iso(firstOutside(Date.parse('2027-11-07T05:10Z'), newYork, early))).toBe('2027-11-07T05:30Z');
    expect(iso(firstOutside(Date.parse('2027-11-07T06:10Z'), newYork, early))).toBe('2027-11-07T06:30Z');
  });
  it('a window whose ends are equal holds nothing', () => {
    expect(insideWindow(Date.parse('2027-11-07T05:10Z'), newYork, { startMinute: 60, endMinute: 60 })).toBe(
      false,
    );
  });
});

/** The first minute at which the clock has come to the window's end, or jumped past it, and stands outside. */
function readMinuteByMinute(instant: number, table: ZoneOffsets, daily: DailyWindow): number {
  if (!insideWindow(instant, table, daily)) return instant;
  const end = daily.endMinute % DAY_MINUTES;
  let shown = Math.floor(table.toLocal(instant) / MINUTE_MS);
  for (let at = Math.floor(instant / MINUTE_MS) * MINUTE_MS + MINUTE_MS; ; at += MINUTE_MS) {
    const shows = table.toLocal(at) / MINUTE_MS;
    // Backwards the clock comes to the one minute it shows; forwards to all that it passes.
    const passed = shows <= shown ? 0 : shows - shown - 1;
    const comes = (((end - shows) % DAY_MINUTES) + DAY_MINUTES) % DAY_MINUTES;
    const ended = comes === 0 || DAY_MINUTES - comes <= passed;
    if (ended && !insideWindow(at, table, daily)) return at;
    shown = shows;
  }
}

describe('over every zone and the hours around its changes', () => {
  const changes = Intl.supportedValuesOf('timeZone')
    .filter((zone) => rules.has(zone))
    .flatMap((zone) => {
      const table = requireZoneTable(zone, rules);
      return table.between(Date.UTC(1993, 0), Date.UTC(2033, 0)).map(({ at }) => ({ zone, table, at }));
    });
  /** Minutes of the day near midnight and near the small hours, where clocks change, and any. */
  const minute = fc.oneof(
    fc.constantFrom(0, 1, 30, 59, 60, 61, 90, 119, 120, 121, 150, 179, 180, 1_379, 1_380, 1_410, 1_439),
    fc.integer({ min: 0, max: DAY_MINUTES - 1 }),
  );
  const seconds = fc.integer({ min: (-26 * HOUR_MS) / SECOND_MS, max: (4 * HOUR_MS) / SECOND_MS });

  it('defers to the first minute at which the end has come', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...changes),
        fc.oneof(seconds, fc.constantFrom(-1, 0)),
        minute,
        minute,
        (change, off, startMinute, endMinute) => {
          const { zone, table, at } = change;
          const instant = at + off * SECOND_MS;
          const daily = { startMinute, endMinute };
          const found = firstOutside(instant, table, daily);
          const named = `${zone} ${iso(instant)} ${startMinute}–${endMinute}`;
          expect(`${named}: ${iso(found)}`).toBe(
            `${named}: ${iso(readMinuteByMinute(instant, table, daily))}`,
          );
          expect(insideWindow(found, table, daily)).toBe(false);
          expect(found - instant).toBeLessThan(3 * DAY_MS);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
