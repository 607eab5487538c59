import { describe, expect, it } from 'vitest';
import { dayDifferences, expectedZones } from './day-verdict.js';

const HOUR = 3_600_000;
const travellers = [
  { userId: 'a', zone: 'Asia/Seoul' },
  { userId: 'b', zone: 'Europe/Paris' },
];
const planned = [
  { zone: 'Asia/Seoul', dueAt: null },
  { zone: 'Europe/Paris', dueAt: 10 * HOUR },
];
const got = (...deliveries: [userId: string, at: number][]) =>
  dayDifferences(
    planned,
    { deliveries: deliveries.map(([userId, at]) => ({ userId, at })), travellers },
    HOUR,
  );

describe('what devices got, against the plan', () => {
  it('agrees where everybody got it once, on time, and nobody where nothing leaves', () => {
    expect(got(['b', 10 * HOUR + 1])).toEqual([]);
  });

  it.each<[string, [string, number][], string]>([
    ['nobody got it', [], 'Europe/Paris: b did not get it'],
    [
      'a user got it twice',
      [
        ['b', 10 * HOUR],
        ['b', 10 * HOUR],
      ],
      'Europe/Paris: b got it 2 times',
    ],
    ['it came before its instant', [['b', 9.5 * HOUR]], 'Europe/Paris: b got it 30.0 min too early'],
    ['it came too late', [['b', 12 * HOUR]], 'Europe/Paris: b got it 120.0 min late'],
    [
      'a skipped zone got it',
      [
        ['a', 0],
        ['b', 10 * HOUR],
      ],
      'Asia/Seoul: a got it, and nobody should',
    ],
    [
      'a stranger got it',
      [
        ['b', 10 * HOUR],
        ['x', 0],
      ],
      'x got it, whom nobody named',
    ],
  ])('says it where %s', (_, deliveries, sentence) => {
    expect(got(...deliveries)).toEqual([sentence]);
  });

  it('says it where the plan left a zone out', () => {
    expect(dayDifferences([], { deliveries: [], travellers }, HOUR)).toHaveLength(2);
  });
});

it.each([
  ['before the pause', 4, 4],
  ['as it begins: late', 6, null],
  ['so that it is not too late after it', 9, 10],
  ['as late as it may be', 8.5, 10],
  ['as it ends', 10, 10],
  ['after it', 11, 11],
])('a send due %s', (_, dueHour, expectedHour) => {
  const pause = { from: 6 * HOUR, until: 10 * HOUR, maxLateMs: 1.5 * HOUR };
  const dueAt = expectedHour === null ? null : expectedHour * HOUR;
  expect(expectedZones([{ zone: 'UTC', dueAt: dueHour * HOUR }], pause)).toEqual([{ zone: 'UTC', dueAt }]);
});
