import { describe, expect, it } from 'vitest';
import { aCampaign, aPlan, aProject, users } from '../../../../test/support/planning/planning.js';
import { shownCells, shownPlan } from '../shown-plan.js';
import { loadOfPreview } from './load-of-preview.js';

const ids = (count: number): string[] => Array.from({ length: count }, (_, index) => `user-${index}`);
const DUE = Date.parse('2027-03-01T00:00Z');

function loadOf(policy: object, now = '2027-02-28T00:00Z', most = 50_000) {
  const base = aCampaign({ kind: 'instant', at: DUE }, { audience: users(...ids(600)) });
  const campaign = { ...base, policy: { ...base.policy, ...policy } };
  const plan = aPlan(campaign, now, { project: aProject({ maxTo: 1 }) });
  const preview = { serviceId: 'shop', hash: 'a'.repeat(64), policy: shownPlan(plan).policy };
  return loadOfPreview(preview, plan.occurrences.flatMap(shownCells), most);
}

describe('the load of a previewed plan', () => {
  it('is one group a cell, with the bounds of its policy', () => {
    expect(loadOf({ handoff: 'hold', lateness: { maxMs: 120_000, beyond: 'send' } })).toEqual([
      {
        serviceId: 'shop',
        campaign: 'a'.repeat(64),
        occurrence: 'once',
        zone: 'Asia/Seoul',
        requests: 600,
        at: DUE,
        dueAt: DUE,
        deadlineAt: DUE + 86_400_000,
        maxLateMs: 120_000,
        beyond: 'send',
      },
    ]);
  });

  it('a reservation is handed off ahead of its due', () => {
    expect(loadOf({})).toMatchObject([{ requests: 600, at: Date.parse('2027-02-28T00:00Z'), dueAt: DUE }]);
  });

  it('a pace is spread over its minutes, with every request', () => {
    const groups = loadOf({ handoff: 'hold', pace: { perMinute: 60 } });
    expect(groups).toHaveLength(10);
    expect(groups.map(({ requests }) => requests)).toEqual(Array.from({ length: 10 }, () => 60));
    expect(groups.map(({ at }) => (at - DUE) / 60_000)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    const few = loadOf({ handoff: 'hold', pace: { perMinute: 60 } }, undefined, 3);
    expect([few.length, few.reduce((sum, { requests }) => sum + requests, 0)]).toEqual([3, 600]);
  });

  it('leaves out what expired', () => {
    expect(loadOf({ handoff: 'hold' }, '2027-03-02T12:00Z')).toEqual([]);
  });
});
