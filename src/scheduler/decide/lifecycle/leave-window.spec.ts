// How long after a heartbeat the first bytes of requests may leave.
import { expect, it } from 'vitest';
import { isWithinLeaveWindow } from './leave-window.js';

const BEAT = { elapsed: 50_000, wall: 1_800_000_000_000 };

it.each([
  ['at once', 0, 0, true],
  ['before half of T has passed', 499, 499, true],
  ['not once it has', 500, 500, false],
  ['not on a machine that slept, whose monotonic clock stood', 3, 3_600_000, false],
  ['not where the wall clock was set ahead, until the next heartbeat', 3, 500, false],
  ['where the wall clock was set back', 499, -3_600_000, true],
  ['not later for a wall clock that was set back', 500, -3_600_000, false],
])('they may leave %s', (_, elapsed, wall, expected) => {
  const now = { elapsed: BEAT.elapsed + elapsed, wall: BEAT.wall + wall };
  expect(isWithinLeaveWindow(BEAT, now, 1_000)).toBe(expected);
});
