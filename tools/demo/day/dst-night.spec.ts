import { expect, it } from 'vitest';
import { clockChanges, instantOf, nextDstDate } from './dst-night.js';

const ZONES = ['Pacific/Auckland', 'Asia/Seoul', 'Europe/Paris', 'America/New_York', 'America/Los_Angeles'];

it.each([
  ['2027-03-28', [{ zone: 'Europe/Paris', kind: 'gap', wallTime: '02:30' }]],
  ['2027-10-31', [{ zone: 'Europe/Paris', kind: 'overlap', wallTime: '02:30' }]],
  [
    '2027-03-14',
    [
      { zone: 'America/New_York', kind: 'gap', wallTime: '02:30' },
      { zone: 'America/Los_Angeles', kind: 'gap', wallTime: '02:30' },
    ],
  ],
  [
    '2027-11-07',
    [
      { zone: 'America/New_York', kind: 'overlap', wallTime: '01:30' },
      { zone: 'America/Los_Angeles', kind: 'overlap', wallTime: '01:30' },
    ],
  ],
  ['2027-09-26', [{ zone: 'Pacific/Auckland', kind: 'gap', wallTime: '02:30' }]],
  ['2027-04-04', [{ zone: 'Pacific/Auckland', kind: 'overlap', wallTime: '02:30' }]],
  ['2027-07-01', []],
])('knows whose clock is moved on %s', (date, changes) => {
  expect(clockChanges(date, ZONES)).toEqual(changes);
});

it('knows a change of half an hour', () => {
  expect(clockChanges('2026-10-04', ['Australia/Lord_Howe'])).toEqual([
    { zone: 'Australia/Lord_Howe', kind: 'gap', wallTime: '02:15' },
  ]);
});

it('finds the next date on which a clock is moved', () => {
  expect(nextDstDate(Date.parse('2026-11-28T12:00:00Z'), ZONES)).toBe('2027-03-14');
  expect(nextDstDate(Date.parse('2027-03-14T00:00:00Z'), ZONES)).toBe('2027-03-28');
  expect(() => nextDstDate(0, ['UTC'])).toThrow('none of the zones');
});

it('reads a wall time on a zone’s clock', () => {
  expect(new Date(instantOf('2027-03-28', '09:00', 'Pacific/Auckland')).toISOString()).toBe(
    '2027-03-27T20:00:00.000Z',
  );
});

it.each(['2027-02-30', '28.3.2027', '2027-3-28', 'tomorrow', ''])('refuses %j, which is no date', (date) => {
  expect(() => clockChanges(date, ['UTC'])).toThrow('is no date; give one as 2027-03-28');
});
