import { expect, it } from 'vitest';
import { relativeTime } from './relative-time.js';

const NOW = Date.parse('2027-03-01T00:00:00Z');

it.each([
  [0, 'now'],
  [999, 'now'],
  [1_000, 'in 1 s'],
  [-59_999, '59 s ago'],
  [60_000, 'in 1 min'],
  [-3_599_999, '59 min ago'],
  [7_200_000, 'in 2 h'],
  [-86_400_000, '1 d ago'],
  [400 * 86_400_000, 'in 400 d'],
])('%i ms from now is "%s"', (ms, text) => {
  expect(relativeTime(NOW + ms, NOW)).toBe(text);
});
