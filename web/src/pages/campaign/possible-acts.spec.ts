import { expect, it } from 'vitest';
import { CAMPAIGN_STATES } from '../../../../src/scheduler/decide/lifecycle/campaign-state.js';
import { possibleActs } from './possible-acts.ts';

it.each([
  ['running', false, ['pause', 'cancel']],
  ['planned', true, ['resume', 'cancel']],
  ['awaiting-approval', false, ['approve', 'decline', 'cancel']],
  ['canceling', false, []],
  ['completed', false, []],
] as const)('a campaign that is %s (paused: %s) takes %s', (state, paused, acts) => {
  const open = possibleActs({ state, paused }).filter(({ hindrance }) => hindrance === undefined);
  expect(open.map(({ act }) => act)).toEqual(acts);
});

it('what cannot be done now is there with its reason, in every state', () => {
  for (const state of CAMPAIGN_STATES)
    expect(possibleActs({ state, paused: false }).length).toBeGreaterThan(0);
});
