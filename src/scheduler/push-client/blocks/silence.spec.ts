import { expect, it } from 'vitest';
import { Silence } from './silence.js';

type Step = readonly [at: number, what: 'began' | 'answered' | 'unanswered' | 'notMade'];

it.each<readonly [what: string, steps: readonly Step[], at: number, lasts: number, isInDoubt: boolean]>([
  ['nothing was called', [], 99_000, 0, false],
  ['a call is open', [[1_000, 'began']], 16_000, 15_000, false],
  [
    'a call was answered',
    [
      [0, 'began'],
      [500, 'answered'],
    ],
    99_000,
    0,
    false,
  ],
  [
    'one of two was answered: the other is silent since then',
    [
      [0, 'began'],
      [0, 'began'],
      [9_000, 'answered'],
    ],
    20_000,
    11_000,
    false,
  ],
  [
    'one call ended without an answer',
    [
      [0, 'began'],
      [10_000, 'unanswered'],
    ],
    12_000,
    10_000,
    true,
  ],
  [
    'the next one is open',
    [
      [0, 'began'],
      [10_000, 'unanswered'],
      [11_000, 'began'],
    ],
    15_000,
    15_000,
    false,
  ],
  [
    'a reset at once is no long silence',
    [
      [0, 'began'],
      [5, 'unanswered'],
    ],
    30_000,
    5,
    true,
  ],
  [
    'nobody called since',
    [
      [0, 'began'],
      [20_000, 'unanswered'],
    ],
    80_001,
    0,
    true,
  ],
  [
    'a call was not made',
    [
      [0, 'began'],
      [10, 'notMade'],
    ],
    99_000,
    0,
    false,
  ],
  [
    'a call was not made beside one without an answer',
    [
      [0, 'began'],
      [5, 'began'],
      [9_000, 'unanswered'],
      [9_500, 'notMade'],
    ],
    10_000,
    9_000,
    true,
  ],
])('%s', (_, steps, at, lasts, isInDoubt) => {
  const silence = new Silence();
  for (const [elapsed, what] of steps) silence[what](elapsed);
  expect([silence.lasts(at), silence.isInDoubt]).toEqual([lasts, isInDoubt]);
});
