import { describe, expect, it } from 'vitest';
import { parsePosixTz } from './posix-tz.js';

describe('parsePosixTz', () => {
  const utc = (year: number, text: string): string[] =>
    (parsePosixTz(text).transitionsOf?.(year) ?? []).map(
      ({ at, offsetMs }) => `${new Date(at).toISOString().slice(0, 16)} ${offsetMs / 3_600_000}`,
    );

  it.each([
    [
      'Auckland, south of the equator',
      'NZST-12NZDT,M9.5.0,M4.1.0/3',
      ['2027-04-03T14:00 12', '2027-09-25T14:00 13'],
    ],
    [
      'Dublin, whose summer is standard',
      'IST-1GMT0,M10.5.0,M3.5.0/1',
      ['2027-03-28T01:00 1', '2027-10-31T01:00 0'],
    ],
    [
      'Nuuk, an hour before midnight',
      '<-02>2<-01>,M3.5.0/-1,M10.5.0/0',
      ['2027-03-28T01:00 -1', '2027-10-31T01:00 -2'],
    ],
    [
      'Gaza, hours beyond a day',
      'EET-2EEST,M3.4.4/50,M10.4.4/50',
      ['2027-03-27T00:00 3', '2027-10-29T23:00 2'],
    ],
    [
      'Lord Howe, half an hour',
      '<+1030>-10:30<+11>-11,M10.1.0,M4.1.0',
      ['2027-04-03T15:00 10.5', '2027-10-02T15:30 11'],
    ],
    [
      'days of the year, leap day uncounted',
      'AAA3BBB,J60/0,J300/0',
      ['2027-03-01T03:00 -2', '2027-10-27T02:00 -3'],
    ],
    [
      'days of the year, counted from 0',
      'AAA3BBB,59/0,299/0',
      ['2027-03-01T03:00 -2', '2027-10-27T02:00 -3'],
    ],
  ])('RFC 9636 §3.3.1 %s', (_name, text, expected) => {
    expect(utc(2027, text)).toEqual(expected);
  });

  it('counts no leap day in a J rule, and every day in a plain one', () => {
    expect(utc(2028, 'AAA3BBB,J60/0,J300/0')[0]).toBe('2028-03-01T03:00 -2');
    expect(utc(2028, 'AAA3BBB,59/0,299/0')[0]).toBe('2028-02-29T03:00 -2');
  });

  it.each(['', 'CET', '-1', 'CET-1CEST', 'CET-1CEST,M3.6.0,M10.5.0', 'CET-1CEST,M3.5.0,M10.5.0,'])(
    'refuses %j',
    (text) => {
      expect(() => parsePosixTz(text)).toThrow(RangeError);
    },
  );
});
