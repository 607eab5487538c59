import { DateTime } from 'luxon';
import { describe, expect, it } from 'vitest';
import { rulesOf2026f } from '../../../test/support/rule-sets.js';
import { rules } from '../../../test/support/planning.js';
import { RulesZone } from './rules-zone.js';

describe('RulesZone', () => {
  it("makes luxon read instants by our rules, not by ICU's", () => {
    // Release 2026f keeps Vancouver at −07:00 through the winter of 2026.
    const winter = Date.parse('2026-12-15T12:00Z');
    const zone = new RulesZone('America/Vancouver', rulesOf2026f());
    expect(DateTime.fromMillis(winter, { zone }).toISO()).toBe('2026-12-15T05:00:00.000-07:00');
  });

  it('lets calendar arithmetic keep the wall time over a DST change', () => {
    const zone = new RulesZone('America/New_York', rules);
    const before = DateTime.fromMillis(Date.parse('2027-03-13T14:00Z'), { zone });
    expect(before.plus({ days: 1 }).toISO()).toBe('2027-03-14T09:00:00.000-04:00');
  });

  it.each([
    ['short', '+05:45'],
    ['narrow', '+5:45'],
    ['techie', '+0545'],
  ] as const)('formats offsets: %s', (format, expected) => {
    expect(new RulesZone('Asia/Kathmandu', rules).formatOffset(0 + Date.parse('2027-01-01'), format)).toBe(
      expected,
    );
  });

  it('is equal to itself alone, and refuses a zone that is none', () => {
    const seoul = new RulesZone('Asia/Seoul', rules);
    expect(seoul.equals(new RulesZone('Asia/Seoul', rules))).toBe(true);
    expect(seoul.equals(new RulesZone('Asia/Tokyo', rules))).toBe(false);
    expect(() => new RulesZone('Asia/Nowhere', rules)).toThrow(RangeError);
  });
});
