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

it('a campaign that is being cancelled shows what it does not take now, and an ended one nothing', () => {
  const shown = Object.fromEntries(
    CAMPAIGN_STATES.map((state) => [
      state,
      possibleActs({ state, paused: false }).map(({ hindrance }) => hindrance),
    ]),
  );
  expect(shown).toMatchObject({ canceling: ['act.canceling', 'act.canceling'], completed: [], rejected: [] });
});
