import { expect, it } from 'vitest';
import { rateText, shortText, wholeText } from './figure-text.ts';

const plain = (text: string): string => text.replaceAll('\u202f', '_');

it.each([
  [0, '0'],
  [980, '980'],
  [1_980, '1_980'],
  [61_400_000, '61_400_000'],
  [-1_204, '−1_204'],
])('%s is whole as %s', (value, text) => {
  expect(plain(wholeText(value))).toBe(text);
});

it.each([
  [999_999, '999_999'],
  [1_000_000, '1.0_M'],
  [61_499_999, '61.4_M'],
  [2_000_000_000, '2.0_G'],
])('%s is short as %s, and never more than it is', (value, text) => {
  expect(plain(shortText(value))).toBe(text);
});

it.each([
  [0, 0, '–'],
  [0, 5, '0.0_%'],
  [60_102, 61_400, '97.8_%'],
  [99_999, 100_000, '99.9_%'],
  [7, 7, '100.0_%'],
])('%s of %s is the rate %s', (numerator, denominator, text) => {
  expect(plain(rateText(numerator, denominator))).toBe(text);
});
