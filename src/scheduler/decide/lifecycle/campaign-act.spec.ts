// Every pair of acts, at every distance that matters.
import { expect, it } from 'vitest';
import { CLOCK_SKEW_MS, isSuperseded } from './campaign-act.js';

const NEWEST = 1_800_000_000_000;

it.each([
  ['schedule', 1, 'schedule', false],
  ['schedule', 0, 'schedule', true],
  ['schedule', -1, 'schedule', true],
  ['cancel', 1, 'schedule', false],
  ['cancel', 0, 'schedule', false],
  ['cancel', -3_000, 'schedule', false],
  ['cancel', -CLOCK_SKEW_MS, 'schedule', false],
  ['cancel', -CLOCK_SKEW_MS - 1, 'schedule', true],
  ['schedule', 0, 'cancel', true],
  ['schedule', 1, 'cancel', false],
  ['pause', 0, 'schedule', false],
  ['pause', -CLOCK_SKEW_MS, 'schedule', false],
  ['pause', -CLOCK_SKEW_MS - 1, 'schedule', true],
  ['pause', 0, 'cancel', true],
  ['resume', 0, 'schedule', true],
  ['resume', 1, 'schedule', false],
  ['resume', 0, 'pause', true],
  ['resume', 1, 'pause', false],
  ['schedule', 0, 'pause', true],
  ['cancel', 0, 'pause', false],
  ['cancel', -CLOCK_SKEW_MS, 'pause', false],
] as const)('a %s %d ms after a %s: superseded is %s', (act, ms, newest, superseded) => {
  expect(isSuperseded({ act, time: NEWEST + ms }, { act: newest, time: NEWEST })).toBe(superseded);
});
