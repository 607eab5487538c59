import { describe, expect, it } from 'vitest';
import { httpDate, retryAfterOf } from './http-times.js';

const NOW = Date.parse('2027-03-01T00:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['0', 0],
    ['30', 30_000],
    ['999999999', 999_999_999_000],
    ['Mon, 01 Mar 2027 00:00:20 GMT', 20_000],
    ['Sun, 28 Feb 2027 23:59:00 GMT', 0],
    [undefined, undefined],
    ['', undefined],
    ['-1', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    ['9999999999999', undefined],
  ])('of %s', (header, expected) => {
    expect(retryAfterOf(header, () => NOW)).toBe(expected);
  });
});

it('reads the dates of HTTP alone', () => {
  expect(httpDate('Mon, 01 Mar 2027 00:00:00 GMT')).toBe(NOW);
  expect(httpDate('2027-03-01T00:00:00Z')).toBeUndefined();
});
