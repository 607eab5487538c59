import { expect, it } from 'vitest';
import { lengthText } from './length-text.js';

it.each([
  [0, '0 ms'],
  [-5, '0 ms'],
  [250, '250 ms'],
  [1_000, '1 second'],
  [90_000, '1 minute 30 seconds'],
  [1_800_000, '30 minutes'],
  [3_599_999, '59 minutes 59 seconds'],
  [3_600_000, '1 hour'],
  [7_261_000, '2 hours 1 minute'],
  [86_400_000, '1 day'],
  [86_460_000, '1 day'],
  [1_797_605_807, '20 days 19 hours'],
  [2_592_000_000, '30 days'],
])('%d ms is %s', (ms, text) => {
  expect(lengthText(ms)).toBe(text);
});
