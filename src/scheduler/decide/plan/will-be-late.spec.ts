import { expect, it } from 'vitest';
import { aCampaign, aPlan, aProject, users } from '../../../../test/support/planning/planning.js';

const HOLD = { handoff: 'hold' } as const;
const DUE = '2027-03-01T09:00';
const NOW = '2027-03-01T00:00:00+09:00';
const at = Date.parse(`${DUE}:00+09:00`);
const ids = Array.from({ length: 600 }, (_, index) => `user-${index}`);

function warningsOf(queue: { at: number; requests: number }[] | undefined, policy: object = HOLD): string[] {
  const base = aCampaign({ kind: 'wall', local: DUE, zone: 'Asia/Seoul' }, { audience: users(...ids) });
  const campaign = { ...base, policy: { ...base.policy, ...policy } };
  const plan = aPlan(campaign, NOW, { project: aProject({ maxTo: 1, ratePerSecond: 1 }), queue });
  return plan.warnings.filter(({ code }) => code === 'WILL_BE_LATE').map(({ text }) => text);
}

it.each<[string, Parameters<typeof warningsOf>, number]>([
  ['nothing where nobody said what else is to leave: a plan that runs', [undefined], 0],
  ['nothing where all of it leaves within lateness.max', [[]], 0],
  ['nothing where the others fill the rest of lateness.max and no more', [[{ at, requests: 1_200 }]], 0],
  ['nothing where others of the same instant take turns with it', [[{ at, requests: 1_300 }]], 0],
  ['a warning where others of the minute before fill it', [[{ at: at - 60_000, requests: 1_360 }]], 1],
  [
    'a warning where a backlog of the past does',
    [[{ at: at - 10 * 3_600_000, requests: 9 * 3_600 + 1_300 }]],
    1,
  ],
  ['nothing where the others come later', [[{ at: at + 3_600_000, requests: 9_000 }]], 0],
  ['nothing where it is reserved, and so handed off hours ahead', [[{ at, requests: 9_000 }], {}], 0],
  [
    'a warning where the deadline is nearer',
    [[], { ...HOLD, deadline: { months: 0, days: 0, ms: 300_000 } }],
    1,
  ],
])('%s', (_, given, warnings) => {
  expect(warningsOf(...given)).toHaveLength(warnings);
});

it('says how many requests, and how late the last is', () => {
  expect(warningsOf([{ at: at - 60_000, requests: 1_360 }])).toEqual([
    "because of the project's rate, requests are expected to leave later than policy.lateness.max or the deadline allow: up to 600, the last of them 31 minutes 39 seconds late",
  ]);
});
