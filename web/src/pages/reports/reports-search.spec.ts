// The range of a report on my own clock, and what the API is asked for.
import { describe, expect, it } from 'vitest';
import { askOf, KEYS, keysOf, LATENESS_KEYS, rangeOf, searchOfReports } from './reports-search.ts';

const NOW = new Date(2027, 2, 28, 14, 25).getTime();
const local = (...of: [number, number, number, number?]): string => new Date(...of).toISOString();

describe('rangeOf', () => {
  it.each([
    ['7d', local(2027, 2, 22), local(2027, 2, 29)],
    ['30d', local(2027, 1, 27), local(2027, 2, 29)],
  ] as const)('%s ends with the day that runs', (range, from, to) => {
    expect(rangeOf({ range }, NOW)).toEqual({ from, to });
  });

  it('24h ends with the hour that runs, and is as long in each week of the year', () => {
    const { from, to } = rangeOf({ range: '24h' }, NOW);
    expect([to, Date.parse(to) - Date.parse(from)]).toEqual([local(2027, 2, 28, 15), 86_400_000]);
  });

  it('takes both days as whole days, in whichever order', () => {
    const days = { from: local(2027, 2, 1), to: local(2027, 2, 4) };
    expect(rangeOf({ range: 'days', from: '2027-03-01', to: '2027-03-03' }, NOW)).toEqual(days);
    expect(rangeOf({ range: 'days', from: '2027-03-03', to: '2027-03-01' }, NOW)).toEqual(days);
  });
});

describe('searchOfReports', () => {
  it('leaves out what nobody can ask for', () => {
    expect(searchOfReports({ range: 'year', from: '2027-13-01', by: 'moon', zone: 'Asia/Seoul' })).toEqual({
      zone: 'Asia/Seoul',
    });
  });
});

describe('keysOf', () => {
  it.each([
    [{}, KEYS, ['day']],
    [{ by: 'zone', and: 'zone' }, KEYS, ['zone']],
    [{ by: 'zone', and: 'localHour' }, KEYS, ['zone', 'localHour']],
    [{ by: 'code', and: 'zone' }, LATENESS_KEYS, ['day', 'zone']],
  ] as const)('%j', (search, known, keys) => {
    expect(keysOf(search, known)).toEqual(keys);
  });
});

it('asks for times in their order and for the largest of names first', () => {
  expect(askOf({ by: 'hour' }, NOW, KEYS).order).toBe('key');
  expect(askOf({ by: 'zone', service: 'shop-app' }, NOW, KEYS)).toMatchObject({
    order: '-planned',
    groupBy: 'zone',
    serviceId: 'shop-app',
  });
});
