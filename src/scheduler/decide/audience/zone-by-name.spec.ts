import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rules } from '../../../../test/support/planning/planning.js';
import { fixedOffsetZone, requireZoneTable, zoneTable } from './zone-by-name.js';

describe('a zone of a fixed offset (planning.md §2)', () => {
  it.each([
    [32_400, 'UTC+09:00'],
    [-12_600, 'UTC-03:30'],
    [0, 'UTC+00:00'],
    [20_700, 'UTC+05:45'],
    [-1, 'UTC-00:00:01'],
    [50_400, 'UTC+14:00'],
  ])('of %d seconds is %s', (seconds, name) => {
    expect(fixedOffsetZone(seconds)).toBe(name);
  });

  it('is read back as it was named, and follows no DST', () => {
    fc.assert(
      fc.property(fc.integer({ min: -86_399, max: 86_399 }), (seconds) => {
        const table = requireZoneTable(fixedOffsetZone(seconds), rules);
        const [winter, summer] = [Date.UTC(2027, 0), Date.UTC(2027, 6)];
        expect(table.offsetAt(winter)).toBe(seconds * 1_000);
        expect(table.between(winter, summer)).toEqual([]);
      }),
    );
  });
});

describe('the table of a zone', () => {
  it('is that of the rules for a name of the tz database, links included', () => {
    for (const zone of ['Asia/Seoul', 'Asia/Calcutta', 'Etc/UTC'])
      expect(zoneTable(zone, rules)).toBe(rules.table(zone));
  });

  it.each(['UTC+9', 'UTC+09', 'UTC09:00', 'GMT+09:00', '+09:00', 'utc+09:00', 'UTC+09:00 ', 'Asia/Soul', ''])(
    'is none for %j, which no planning may ask for',
    (zone) => {
      expect(zoneTable(zone, rules)).toBeUndefined();
      expect(() => requireZoneTable(zone, rules)).toThrow(RangeError);
    },
  );
});
