import { describe, expect, it } from 'vitest';
import { latenessQuery, rangeOf } from './summary-query.js';

const NOW = Date.parse('2027-03-08T10:20:30Z');
const read = (query: Record<string, string>) => latenessQuery.safeParse({ groupBy: 'zone', ...query });
const range = (query: Record<string, string>): (string | null)[] => {
  const { from, to } = rangeOf(latenessQuery.parse({ groupBy: 'zone', ...query }), NOW);
  return [from, to].map((at) => (at === undefined ? null : new Date(at).toISOString().slice(0, 16)));
};

describe('the range of a report', () => {
  it.each([
    [{}, [null, null]],
    [{ from: '2026-11-16' }, ['2026-11-16T00:00', null]],
    [{ from: '2026-11-16', to: '2026-11-17T09:30:00+09:00' }, ['2026-11-16T00:00', '2026-11-17T00:30']],
    [{ last: '7d' }, ['2027-03-01T00:00', '2027-03-08T00:00']],
    [{ last: '24h' }, ['2027-03-07T10:00', '2027-03-08T10:00']],
    [{ last: '7d', compareWith: 'week-before' }, ['2027-03-01T00:00', '2027-03-08T00:00']],
  ])('of %j', (query, expected) => {
    expect(range(query)).toEqual(expected);
  });

  it.each([
    [{ from: '2026-11-31' }, /must be a date/],
    [{ from: '2026-11-16T00:00' }, /must be a date/],
    [{ from: '2026-11-16T00:00:30Z' }, /a whole minute/],
    [{ last: '0d' }, /as 7d or 24h/],
    [{ last: '2w' }, /as 7d or 24h/],
    [{ last: '7d', to: '2027-03-08' }, /leave out from and to/],
  ])('refuses %j', (query, says) => {
    expect(
      read(query)
        .error?.issues.map(({ message }) => message)
        .join('; '),
    ).toMatch(says);
  });
});
