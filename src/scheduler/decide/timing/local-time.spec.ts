import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { rules } from '../../../../test/support/planning/planning.js';
import { DAY_MS, formatLocal, HOUR_MS, parseLocal } from '../../../zone-rules/civil.js';
import { readBack, resolveLocal } from './local-time.js';
import { policyDefaults, type DstPolicy } from './campaign-policy.js';
import { requireZoneTable, zoneTable } from '../audience/zone-by-name.js';

const { dst: defaults } = policyDefaults;
const resolve = (local: string, zone: string, policy: Partial<DstPolicy> = {}): string => {
  const table = requireZoneTable(zone, rules);
  const { verdict, instant } = resolveLocal(parseLocal(local) ?? NaN, table, { ...defaults, ...policy });
  const { date, time, offset } = readBack(instant, table);
  return `${verdict} ${date}T${time}${offset} ${new Date(instant).toISOString().slice(0, 16)}Z`;
};

// The answer must not depend on the month the tests run in: luxon's own does.
describe.each(['2026-01-15T12:00:00Z', '2026-07-15T12:00:00Z'])(
  'on a machine whose clock shows %s',
  (today) => {
    beforeEach(() => {
      vi.useFakeTimers({ now: Date.parse(today), toFake: ['Date'] });
    });
    afterEach(() => {
      vi.useRealTimers();
    });

    it.each([
      ['2026-03-08T02:30', 'America/New_York', 'moved-forward 2026-03-08T03:30-04:00 2026-03-08T07:30Z'],
      ['2026-10-04T02:15', 'Australia/Lord_Howe', 'moved-forward 2026-10-04T02:45+11:00 2026-10-03T15:45Z'],
      ['2026-09-06T00:00', 'America/Santiago', 'moved-forward 2026-09-06T01:00-03:00 2026-09-06T04:00Z'],
      ['2026-11-01T01:30', 'America/New_York', 'first 2026-11-01T01:30-04:00 2026-11-01T05:30Z'],
      ['2027-11-07T01:30', 'America/New_York', 'first 2027-11-07T01:30-04:00 2027-11-07T05:30Z'],
      ['2026-11-01T01:30', 'Asia/Seoul', 'exact 2026-11-01T01:30+09:00 2026-10-31T16:30Z'],
      ['2011-12-30T09:00', 'Pacific/Apia', 'moved-forward 2011-12-31T09:00+14:00 2011-12-30T19:00Z'],
      ['2027-03-01T09:00:15', 'Asia/Kolkata', 'exact 2027-03-01T09:00:15+05:30 2027-03-01T03:30Z'],
      ['2027-03-01T09:00', 'UTC+05:45', 'exact 2027-03-01T09:00+05:45 2027-03-01T03:15Z'],
    ])('planning.md §3 %s in %s is %s', (local, zone, expected) => {
      expect(resolve(local, zone)).toBe(expected);
    });

    it.each([
      ['2026-11-01T01:30', { overlap: 'second' }, 'second 2026-11-01T01:30-05:00 2026-11-01T06:30Z'],
      ['2026-11-01T01:30', { overlap: 'reject' }, 'rejected 2026-11-01T01:30-04:00 2026-11-01T05:30Z'],
      ['2026-03-08T02:30', { gap: 'skip' }, 'skipped 2026-03-08T03:30-04:00 2026-03-08T07:30Z'],
      ['2026-03-08T02:30', { gap: 'reject' }, 'rejected 2026-03-08T03:30-04:00 2026-03-08T07:30Z'],
      ['2026-03-08T03:00', { gap: 'reject' }, 'exact 2026-03-08T03:00-04:00 2026-03-08T07:00Z'],
      ['2026-11-01T02:00', { overlap: 'reject' }, 'exact 2026-11-01T02:00-05:00 2026-11-01T07:00Z'],
    ] as const)('planning.md §3 %s in New York under %o is %s', (local, policy, expected) => {
      expect(resolve(local, 'America/New_York', policy)).toBe(expected);
    });
  },
);

describe('a wall time in a zone', () => {
  it.each([
    '2027-02-29T09:00',
    '2027-04-31T09:00',
    '2027-00-01T09:00',
    '2027-13-01T09:00',
    '2027-03-00T09:00',
    '0000-03-01T09:00',
    '2027-03-01T24:00',
    '2027-03-01T09:60',
    '2027-03-01T09:00:60',
    '2027-03-01 09:00',
    '2027-03-01T09:00Z',
  ])('is none with %s', (local) => {
    expect(parseLocal(local)).toBeUndefined();
  });

  it.each(['Asia/Nowhere', 'asia/seoul', '../../../etc/passwd'])('is none in %s', (zone) => {
    expect(zoneTable(zone, rules)).toBeUndefined();
  });

  it('accepts link names', () => {
    expect(resolve('2027-03-01T09:00', 'Asia/Calcutta')).toBe(resolve('2027-03-01T09:00', 'Asia/Kolkata'));
  });

  it('goes on by the last rule beyond every table, 400 years at a time', () => {
    expect(resolve('2427-07-01T12:00', 'Europe/Berlin')).toContain(
      'exact 2427-07-01T12:00+02:00 2427-07-01T10:00Z',
    );
    expect(resolve('9000-07-01T12:00', 'Europe/Berlin')).toContain(
      'exact 9000-07-01T12:00+02:00 9000-07-01T10:00Z',
    );
  });
});

describe('over every zone and the hours around its DST changes', () => {
  const zones = Intl.supportedValuesOf('timeZone').filter((zone) => rules.has(zone));
  const changing = zones.filter(
    (zone) => requireZoneTable(zone, rules).between(...years(2024, 2033)).length > 0,
  );
  const overlaps = ['first', 'second'] as const;

  /** A wall time within half a day of a change of its zone, or any where its zone has none. */
  const wallTime = fc
    .record({
      zone: fc.oneof(fc.constantFrom(...changing), fc.constantFrom(...zones)),
      near: fc.nat(),
      off: fc.integer({ min: -43_200, max: 43_200 }),
    })
    .map(({ zone, near, off }) => {
      const table = requireZoneTable(zone, rules);
      const changes = table.between(...years(2024, 2033));
      const at =
        changes[near % Math.max(1, changes.length)]?.at ?? years(2024, 2033)[0] + (near % 3_000) * DAY_MS;
      return { zone, table, local: Math.floor(table.toLocal(at) / 1_000) * 1_000 + off * 1_000 };
    });

  it('reads back what was asked unless it was moved, and then moved forward', () => {
    fc.assert(
      fc.property(wallTime, fc.constantFrom(...overlaps), ({ table, local }, overlap) => {
        const { verdict, instant } = resolveLocal(local, table, { gap: 'forward', overlap });
        const reads = table.toLocal(instant);
        expect(verdict === 'moved-forward' ? reads > local : reads === local).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is never earlier than asked, except for `first`: afterwards the clock never shows less', () => {
    fc.assert(
      fc.property(wallTime, fc.nat({ max: 12 * 3_600 }), ({ table, local }, later) => {
        const { verdict, instant } = resolveLocal(local, table, { gap: 'forward', overlap: 'second' });
        expect(verdict).not.toBe('first');
        expect(table.toLocal(instant + later * 1_000)).toBeGreaterThanOrEqual(local);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is monotone among wall times that exist, and among those of one gap', () => {
    fc.assert(
      fc.property(
        wallTime,
        fc.constantFrom(...overlaps),
        fc.integer({ min: 0, max: 6 * 3_600 }),
        ({ table, local }, overlap, by) => {
          const [one, other] = [local, local + by * 1_000].map((wall) =>
            resolveLocal(wall, table, { gap: 'forward', overlap }),
          );
          // What a gap moves forward passes wall times right behind it: that is what keeping the minutes means.
          if (
            one === undefined ||
            other === undefined ||
            (one.verdict === 'moved-forward') !== (other.verdict === 'moved-forward')
          )
            return;
          expect(one.instant).toBeLessThanOrEqual(other.instant);
        },
      ),
      { numRuns: 2_000 },
    );
  });

  it('puts `first` before `second` by the length of the overlap, and both read the same', () => {
    fc.assert(
      fc.property(wallTime, ({ table, local }) => {
        const [first, second] = overlaps.map((overlap) =>
          resolveLocal(local, table, { gap: 'forward', overlap }),
        );
        if (first === undefined || second === undefined) return;
        const apart = second.instant - first.instant;
        const readsSame = table.toLocal(second.instant) === table.toLocal(first.instant);
        const isOverlap = first.verdict === 'first';
        expect(isOverlap ? apart > 0 && apart <= 24 * HOUR_MS && readsSame : apart === 0).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });

  it('writes wall times as it reads them', () => {
    fc.assert(
      fc.property(wallTime, ({ table, local }) => {
        const text = formatLocal(local);
        expect(parseLocal(text)).toBe(local);
        const { verdict, instant } = resolveLocal(local, table, defaults);
        if (verdict === 'moved-forward') return;
        const { date, time } = readBack(instant, table);
        expect(`${date}T${time}`).toBe(text);
      }),
    );
  });
});

function years(from: number, to: number): [number, number] {
  return [Date.UTC(from, 0, 1), Date.UTC(to, 0, 1)];
}
