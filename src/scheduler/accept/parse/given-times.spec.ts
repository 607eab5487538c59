// Instants as luxon reads them, which reads ISO 8601 as a whole.
import fc from 'fast-check';
import { DateTime } from 'luxon';
import { expect, it } from 'vitest';
import { INSTANT } from './campaign-event.js';
import { instantOf } from './given-times.js';

const digits = (most: number, length = 2) =>
  fc.integer({ min: 0, max: most }).map((value) => String(value).padStart(length, '0'));
const fractions = fc.option(
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 9 }).map((all) => `.${all.join('')}`),
  { nil: '' },
);
const offsets = fc.oneof(
  fc.constant('Z'),
  fc
    .tuple(fc.constantFrom('+', '-'), digits(99), digits(99))
    .map(([sign, hours, minutes]) => `${sign}${hours}:${minutes}`),
);
const texts = fc
  .record({
    year: fc.oneof(digits(9999, 4), fc.constantFrom('0000', '1969', '1970', '2028', '9998', '9999')),
    month: digits(13),
    day: digits(32),
    hour: digits(23),
    minute: digits(59),
    seconds: fc.option(fc.tuple(digits(59), fractions), { nil: undefined }),
    offset: offsets,
  })
  .map(({ year, month, day, hour, minute, seconds, offset }) => {
    const rest = seconds === undefined ? '' : `:${seconds.join('')}`;
    return `${year}-${month}-${day}T${hour}:${minute}${rest}${offset}`;
  });

it('is what luxon reads, of the years that are taken, and of no other year or date', () => {
  fc.assert(
    fc.property(texts, (text) => {
      expect(text).toMatch(INSTANT);
      const at = DateTime.fromISO(text, { zone: 'utc' });
      const isTaken = at.isValid && at.year >= 1970 && at.year <= 9998;
      expect(instantOf(text)).toBe(isTaken ? at.toMillis() : Number.NaN);
    }),
    { numRuns: 3_000 },
  );
});

it.each([
  ['2027-03-01T00:00:00.57Z', '2027-03-01T00:00:00.570Z'],
  ['2027-03-01T09:00+09:00', '2027-03-01T00:00:00.000Z'],
  ['2027-03-01T00:00:00.999999999-00:30', '2027-03-01T00:30:00.999Z'],
  ['2028-02-29T23:59:59Z', '2028-02-29T23:59:59.000Z'],
])('reads %s', (text, same) => {
  expect(instantOf(text)).toBe(Date.parse(same));
});

it.each(['2027-02-29T00:00:00Z', '1969-12-31T23:59:59Z', '2027-03-01T00:00:00', '9999-01-01T00:00:00Z'])(
  'has no %s',
  (text) => {
    expect(instantOf(text)).toBeNaN();
  },
);
