import { describe, expect, it } from 'vitest';
import { rules } from '../../../../test/support/planning/planning.js';
import { DAY_MS } from '../../../zone-rules/civil.js';
import { fixedTable, ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { zoneOfCountry } from './country-zones.js';

const now = Date.parse('2027-02-01T00:00Z');

describe('the zone of a country (planning.md §2, source 4)', () => {
  it.each([
    ['is its only one', 'KR', {}, { zone: 'Asia/Seoul' }],
    ['is the first of several whose clocks agree', 'DE', {}, { zone: 'Europe/Berlin' }],
    ['is none where their clocks differ', 'US', {}, { code: 'NO_PRINCIPAL_ZONE' }],
    ['is the one that the project names', 'US', { US: 'America/Chicago' }, { zone: 'America/Chicago' }],
    ['is that one though there is only one other', 'KR', { KR: 'Asia/Tokyo' }, { zone: 'Asia/Tokyo' }],
    ['is its own where what the project names is no zone', 'KR', { KR: 'Asia/Soul' }, { zone: 'Asia/Seoul' }],
    ['is unknown of a country that nobody knows', 'ZZ', {}, { code: 'UNKNOWN_COUNTRY' }],
    ['is named by the project of such a country too', 'ZZ', { ZZ: 'Asia/Seoul' }, { zone: 'Asia/Seoul' }],
    ['is not what every object has', 'constructor', {}, { code: 'UNKNOWN_COUNTRY' }],
  ])('%s', (_what, country, principal: Readonly<Record<string, string>>, expected) => {
    expect(zoneOfCountry(country, principal, rules, now)).toEqual(expected);
  });

  it('takes clocks for one that agree for 400 days, and not a day less', () => {
    const movesAfter = (days: number): ZoneOffsets =>
      new ZoneOffsets({
        initialOffsetMs: 0,
        transitions: [{ at: now + days * DAY_MS, offsetMs: 3_600_000 }],
        coveredToYear: 2100,
      });
    const found = (days: number): unknown => {
      const tables: Readonly<Record<string, ZoneOffsets>> = { A: fixedTable(0), B: movesAfter(days) };
      const two: ZoneRules = {
        source: 'two zones',
        version: 'unknown',
        has: (zone) => zone in tables,
        table: (zone) => tables[zone],
        names: () => Object.keys(tables),
        // The third is not among the rules.
        zonesOfCountry: () => ['A', 'B', 'C'],
      };
      return zoneOfCountry('XX', {}, two, now);
    };
    expect(found(399)).toEqual({ code: 'NO_PRINCIPAL_ZONE' });
    expect(found(400)).toEqual({ zone: 'A' });
  });
});
