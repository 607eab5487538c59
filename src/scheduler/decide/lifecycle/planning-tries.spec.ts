import { expect, it } from 'vitest';
import { FIRST_PLANNING_WAIT_MS, MOST_DOUBLINGS, PLANNING_TRIES } from './planning-tries.js';

it('planning.md §9: a planning that fails is tried ten times over half an hour, each wait twice the one before', () => {
  const waits = Array.from(
    { length: PLANNING_TRIES - 1 },
    (_, doublings) => FIRST_PLANNING_WAIT_MS * 2 ** doublings,
  );
  expect(PLANNING_TRIES).toBe(10);
  expect(waits.reduce((sum, wait) => sum + wait)).toBeCloseTo(30 * 60_000, 3);
  expect(FIRST_PLANNING_WAIT_MS * 2 ** MOST_DOUBLINGS).toBe(waits.at(-1));
});
