// Durations as they are shown mean what was given, whatever way it was written.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseDuration } from '../../decide/timing/duration.js';
import { policyDefaults } from '../../decide/timing/campaign-policy.js';
import { shownPolicy } from './shown-policy.js';

const DAY_MS = 86_400_000;

it('reads back as it was', () => {
  const durations = fc.record({
    months: fc.nat(14),
    days: fc.nat(400),
    ms: fc.oneof(fc.nat(3 * DAY_MS), fc.constant(0)),
  });
  fc.assert(
    fc.property(durations, (deadline) => {
      const shown = shownPolicy({ ...policyDefaults, deadline }).deadline ?? '';
      expect(parseDuration(shown)).toEqual(deadline);
    }),
  );
});

it.each([
  [{ months: 0, days: 1, ms: 0 }, 'P1D'],
  [{ months: 0, days: 0, ms: 1_800_000 }, 'PT30M'],
  [{ months: 14, days: 0, ms: 26 * 3_600_000 + 1_500 }, 'P14MT26H1.5S'],
  [{ months: 0, days: 0, ms: 0 }, 'PT0S'],
])('shows %o as %s', (deadline, text) => {
  expect(shownPolicy({ ...policyDefaults, deadline }).deadline).toBe(text);
});
