// Readings and instants against vectors made by other tools.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { instantOf, isTimeZone, readingOf } from './wall-clock.js';

interface Row {
  id: string;
  zone: string;
  local: string;
  kind: 'unique' | 'gap' | 'overlap';
  tzdata_sensitive: boolean;
  expected: { any?: string; shift_forward?: string; first?: string };
}

const rows = readFileSync(new URL('../../../test/vectors/zones.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Row);

describe('a wall time in a zone', () => {
  it.each(['Asia/Seoul', 'America/Argentina/Buenos_Aires', 'UTC', 'Etc/GMT+9', 'US/Pacific', 'EST'])(
    'knows %s, a name of the database',
    (name) => expect(isTimeZone(name)).toBe(true),
  );

  it.each([
    '',
    '+09:00',
    'Asia/Nowhere',
    'LOCALTIME',
    'KST9',
    ' Asia/Seoul',
    'asia/seoul',
    'Us/Pacific',
    'utc',
    'est',
  ])('knows no zone %j, in another case neither', (name) => expect(isTimeZone(name)).toBe(false));

  it.each([
    ['2026-03-08 02:30', 'America/New_York', '2026-03-08T07:30:00Z'],
    ['2026-11-01 01:30', 'America/New_York', '2026-11-01T05:30:00Z'],
    ['2026-10-04 02:15', 'Australia/Lord_Howe', '2026-10-03T15:45:00Z'],
    ['2026-07-01 09:00', 'Asia/Kathmandu', '2026-07-01T03:15:00Z'],
  ])('%s in %s is %s', (local, zone, instant) => {
    expect(new Date(instantOf(readingOf(local), zone)).toISOString()).toBe(instant.replace('Z', '.000Z'));
  });

  it('agrees with every vector: forward past gaps, the first in overlaps', () => {
    const certain = rows.filter((row) => !row.tzdata_sensitive && isTimeZone(row.zone));
    const wrong = certain.filter((row) => {
      const { any, shift_forward: forward, first } = row.expected;
      return instantOf(readingOf(row.local), row.zone) !== Date.parse(any ?? forward ?? first ?? '');
    });
    expect(wrong.map((row) => `${row.id} ${row.local} ${row.zone}`)).toEqual([]);
    expect(certain.length).toBeGreaterThan(1_700);
  });
});
