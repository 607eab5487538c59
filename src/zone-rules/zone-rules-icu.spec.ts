import { describe, expect, it } from 'vitest';
import { HOUR_MS, SECOND_MS } from './civil.js';
import { IcuZoneRules } from './zone-rules-icu.js';

describe('IcuZoneRules', () => {
  it('says which ICU it is', () => {
    expect(new IcuZoneRules({ tz: '2030a', icu: '90' })).toMatchObject({
      source: 'ICU 90',
      version: '2030a',
    });
    expect(new IcuZoneRules({}).version).toBe('unknown');
  });
  it('knows times before its first table', () => {
    const apia = new IcuZoneRules().table('Pacific/Apia');
    expect(apia?.candidates(Date.UTC(2011, 11, 30, 9))).toMatchObject({
      kind: 'gap',
      forward: Date.UTC(2011, 11, 30, 19),
    });
  });
});

describe('the zones of ICU', () => {
  const rules = new IcuZoneRules();

  it('have the transitions of each year to the second, before and after the year it searches from', () => {
    const shown = (zone: string, year: number): string[] =>
      (rules.table(zone)?.between(Date.UTC(year, 0), Date.UTC(year + 1, 0)) ?? []).map(
        ({ at, offsetMs }) => `${new Date(at).toISOString().slice(0, 19)} ${offsetMs / HOUR_MS}`,
      );
    expect(shown('Europe/Berlin', 2027)).toEqual(['2027-03-28T01:00:00 2', '2027-10-31T01:00:00 1']);
    expect(shown('Europe/Berlin', 2001)).toEqual(['2001-03-25T01:00:00 2', '2001-10-28T01:00:00 1']);
    expect(shown('Australia/Lord_Howe', 2026)).toEqual([
      '2026-04-04T15:00:00 10.5',
      '2026-10-03T15:30:00 11',
    ]);
    expect(shown('America/New_York', 2050)).toEqual(['2050-03-13T07:00:00 -4', '2050-11-06T06:00:00 -5']);
    expect(shown('Asia/Seoul', 2027)).toEqual([]);
  });

  it('have their offset on either side of a transition', () => {
    const berlin = rules.table('Europe/Berlin');
    const spring = Date.parse('2027-03-28T01:00Z');
    expect([spring - SECOND_MS, spring].map((at) => (berlin?.offsetAt(at) ?? 0) / HOUR_MS)).toEqual([1, 2]);
  });

  it('west of Greenwich have a negative offset, of less than an hour too', () => {
    const winter = Date.parse('2027-01-15T00:00Z');
    expect(rules.table('America/St_Johns')?.offsetAt(winter)).toBe(-3.5 * HOUR_MS);
    expect(rules.table('Etc/UTC')?.offsetAt(winter)).toBe(0);
  });

  it('are made once each, and none is made of a name that is no zone', () => {
    expect(rules.table('Asia/Seoul')).toBe(rules.table('Asia/Seoul'));
    expect([rules.table('asia/seoul'), rules.table('PST')]).toEqual([undefined, undefined]);
  });

  it('have the links of the tz database among their names, and its countries', () => {
    const names = rules.names();
    expect(names).toEqual(expect.arrayContaining(['Asia/Seoul', 'Asia/Calcutta', 'Asia/Kolkata']));
    expect(names.filter((name) => !rules.has(name))).toEqual([]);
    expect([rules.zonesOfCountry('KR'), rules.zonesOfCountry('ZZ')]).toEqual([['Asia/Seoul'], []]);
  });
});
