import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  aProject,
  cellsOf,
  iso,
  knowing,
  users,
} from '../../../../test/support/planning.js';
import type { Plan } from './plan-types.js';
import type { Policy } from '../timing/policy.js';

const MINUTE = 60_000;
const NOON = Date.parse('2027-03-13T12:00Z');
const zones = {
  anna: 'Pacific/Kiritimati',
  ben: 'Asia/Seoul',
  carl: 'Asia/Tokyo',
  dora: 'Europe/Berlin',
  emil: 'America/New_York',
  fay: 'America/Los_Angeles',
};

/** What was decided of every cell that is not over by `instant`, in words: dues, verdicts, and what is left out. */
function decidedAfter(plan: Plan, instant: number): unknown[] {
  return cellsOf(plan)
    .filter(({ intendedAt }) => intendedAt > instant)
    .map(({ key, askedLocal, dueAt, jitterMs, paceMs, runs, night, quiet, skipped }) => ({
      key,
      askedLocal,
      due: iso(dueAt),
      moved: [jitterMs, paceMs],
      runs,
      verdicts: [night, quiet, skipped],
    }));
}

describe('planCampaign and now', () => {
  it('decides the same of a cell that is not over, whenever it is asked', () => {
    const policies = fc.record({
      jitterMs: fc.constantFrom(0, 7 * MINUTE, 20 * MINUTE + 123),
      passedZone: fc.constantFrom<Policy['passedZone']>(
        { kind: 'skip' },
        { kind: 'next-day' },
        { kind: 'send-now' },
        { kind: 'floor', zone: 'Europe/Berlin' },
      ),
      pace: fc.constantFrom(null, { perMinute: 1 }, { perMinute: 3 }),
      handoff: fc.constantFrom('reserve' as const, 'hold' as const),
      quietHours: fc.constantFrom(null, { startMinute: 541, endMinute: 600, action: 'defer' } as const),
      night: fc.constantFrom('consented' as const, 'defer' as const, 'skip' as const),
    });
    const locals = fc.constantFrom('2027-03-14T09:00', '2027-03-14T02:30', '2027-03-14T09:00:30');
    // At any time of the day and a half, and the last minutes before nine here and there, where modes change.
    const nines = ['2027-03-13T19:00Z', '2027-03-14T00:00Z', '2027-03-14T08:00Z', '2027-03-14T13:00Z'];
    const nows = fc.oneof(
      fc.integer({ min: 0, max: 36 * 60 * MINUTE }).map((ms) => NOON + ms),
      fc
        .tuple(fc.constantFrom(...nines), fc.nat({ max: 4 * MINUTE }))
        .map(([nine, ms]) => Date.parse(nine) - ms),
    );
    let compared = 0;
    fc.assert(
      fc.property(policies, locals, fc.boolean(), nows, nows, (policy, local, reservations, one, other) => {
        const joins = policy.passedZone.kind === 'send-now' || policy.passedZone.kind === 'floor';
        // What is over and goes yet takes minutes of the pace, and has to.
        const pace = joins ? null : policy.pace;
        const campaign = aCampaign(
          { kind: 'recipient', local },
          { messageType: 'AD', audience: users(...Object.keys(zones)), policy: { ...policy, pace } },
        );
        const overrides = { audience: knowing(zones), project: aProject({ reservations }) };
        const [first, second] = [one, other].map((now) =>
          decidedAfter(aPlan(campaign, new Date(now).toISOString(), overrides), Math.max(one, other)),
        );
        expect(second).toEqual(first);
        compared += first?.length ?? 0;
      }),
      { numRuns: 300 },
    );
    expect(compared).toBeGreaterThan(100);
  });
});
