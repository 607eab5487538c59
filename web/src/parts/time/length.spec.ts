import { expect, it } from 'vitest';
import { lengthParts } from './length.ts';

const shown = (ms: number): string =>
  lengthParts(ms)
    .map(({ unit, value }) => `${value} ${unit}`)
    .join(' ');

it.each([
  [0, '0 ms'],
  [8, '8 ms'],
  [999, '999 ms'],
  [1_000, '1.0 s'],
  [1_399, '1.3 s'],
  [9_999, '9.9 s'],
  [59_999, '59 s'],
  [60_000, '1 min'],
  [125_000, '2 min 05 s'],
  [3_600_000, '1 h'],
  [11_400_000, '3 h 10 min'],
  [187_200_000, '2 d 4 h'],
  [-125_000, '2 min 05 s'],
])('%s ms is shown as %s', (ms, text) => {
  expect(shown(ms)).toBe(text);
});
