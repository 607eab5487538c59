import { DateTime, Settings } from 'luxon';
import { afterEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../zone-rules/civil.js';
import { ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import { IcuZoneRules } from '../../../zone-rules/zone-rules-icu.js';
import { gatewayInstant as instantBy } from './gateway-instant.js';

const DAY_MS = 24 * HOUR_MS;
const icu = new IcuZoneRules();
const gatewayInstant = (text: string, zone: string): number | null => instantBy(text, zone, icu);

/** For a wall time that exists twice, luxon takes its present offset; with the offset of the day before it gives the first. */
const luxonSays = (text: string, zone: string): number | null => {
  Settings.now = () => Date.parse(`${text.slice(0, 10)}T12:00:00Z`) - DAY_MS;
  const iso = DateTime.fromISO(text.replace(' ', 'T'), { zone });
  return iso.isValid ? iso.toMillis() : null;
};
const systemNow = Settings.now;
afterEach(() => {
  Settings.now = systemNow;
});

describe('gatewayInstant', () => {
  it.each([
    ['2026-11-21T10:00:00.000', 'Asia/Seoul', '2026-11-21T01:00:00.000Z'],
    ['2026-11-21 10:00:01', 'Asia/Seoul', '2026-11-21T01:00:01.000Z'],
    ['2026-11-21T10:00:59.999', 'Asia/Kathmandu', '2026-11-21T04:15:59.999Z'],
    // Its own offset takes precedence.
    ['2026-11-21T10:00:00.000+01:00', 'Asia/Seoul', '2026-11-21T09:00:00.000Z'],
    ['2026-11-21T10:00:00Z', 'Asia/Seoul', '2026-11-21T10:00:00.000Z'],
  ])('reads %s as a time of %s', (text, zone, instant) => {
    expect(gatewayInstant(text, zone)).toBe(Date.parse(instant));
  });

  it.each([
    '-009999-01-01T00:00:00.000',
    '+200000-01-01T00:00:00.000',
    '1969-12-31T23:59:59',
    '9999-01-01T00:00:00',
  ])('refuses %s, at which no result can have been complete', (text) => {
    expect(gatewayInstant(text, 'UTC')).toBeNull();
  });

  it('reads every second of the minutes around a change of the clock as luxon does', () => {
    for (const zone of ['America/New_York', 'Europe/Berlin', 'Australia/Lord_Howe', 'UTC']) {
      for (const day of [
        '2026-03-08',
        '2026-03-29',
        '2026-04-05',
        '2026-10-04',
        '2026-10-25',
        '2026-11-01',
      ]) {
        for (const time of [
          '01:29:59.999',
          '01:30:00',
          '01:59:59',
          '02:00:00.001',
          '02:30:15',
          '02:59:59',
          '03:00:00',
        ]) {
          const text = `${day}T${time}`;
          expect([text, zone, gatewayInstant(text, zone)]).toEqual([text, zone, luxonSays(text, zone)]);
        }
      }
    }
  });

  it.each([
    ['yesterday', 'Asia/Seoul'],
    ['', 'Asia/Seoul'],
    ['2026-13-01T10:00:00', 'Asia/Seoul'],
    ['2026-02-30T10:00:00', 'Asia/Seoul'],
    ['2026-02-28T25:00:00', 'Asia/Seoul'],
    ['2026-11-21T10:00:60', 'Asia/Seoul'],
    ['2026-11-21T10:00:00', 'Nowhere/At_All'],
  ])('reads nothing from "%s" in %s', (text, zone) => {
    expect(gatewayInstant(text, zone)).toBeNull();
  });

  it('reads one minute after the other, and the first one again', () => {
    const start = Date.parse('2026-11-21T00:00:00Z');
    const text = (minute: number): string => new Date(start + minute * 60_000).toISOString().slice(0, -1);
    for (let minute = 0; minute < 2_500; minute += 1) {
      expect(gatewayInstant(text(minute), 'UTC')).toBe(start + minute * 60_000);
    }
    expect(gatewayInstant(text(0), 'UTC')).toBe(start);
  });

  it.each([
    // Before its change, as everybody has it.
    ['2026-11-20T10:00:00.000', '2026-11-20T01:00:00.000Z'],
    // An hour later by these rules than by those of ICU.
    ['2026-11-21T10:00:00.000', '2026-11-21T00:00:00.000Z'],
    ['2026-11-21 10:00:01', '2026-11-21T00:00:01.000Z'],
    ['2026-11-21T10:00', '2026-11-21T00:00:00.000Z'],
    ['20261121T100000', '2026-11-21T00:00:00.000Z'],
    ['2026-11-22', '2026-11-21T14:00:00.000Z'],
    // Out of the gap, forward by it.
    ['2026-11-21T00:30:00', '2026-11-20T15:30:00.000Z'],
    // Twice: the first.
    ['2026-12-01T23:30:00', '2026-12-01T13:30:00.000Z'],
    // Its own offset wins.
    ['2026-11-21T10:00:00.000+09:00', '2026-11-21T01:00:00.000Z'],
    ['2026-11-21 10:00:00Z', '2026-11-21T10:00:00.000Z'],
  ])(
    'planning.md §8: reads %s by the zone rules that it is given, which have a change that ICU lacks',
    (text, instant) => {
      const transitions = [
        { at: Date.parse('2026-11-21T00:00:00+09:00'), offsetMs: 10 * HOUR_MS },
        { at: Date.parse('2026-12-02T00:00:00+10:00'), offsetMs: 9 * HOUR_MS },
      ];
      const table = new ZoneOffsets({ initialOffsetMs: 9 * HOUR_MS, transitions, coveredToYear: 2027 });
      const rules = { table: (zone: string) => (zone === 'Asia/Seoul' ? table : undefined) };
      expect(instantBy(text, 'Asia/Seoul', rules)).toBe(Date.parse(instant));
      expect(instantBy(text, 'Europe/Berlin', rules)).toBeNull();
    },
  );
});
