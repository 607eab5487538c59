// Every list of states against the words of life-of-a-send.md. The arrows are held to its table and to the database in
// test/contract/lifecycle.spec.ts.
import { describe, expect, it } from 'vitest';
import {
  CAMPAIGN_IN_PLANNING,
  CAMPAIGN_STATES,
  campaignArrows,
  CANCELABLE_CAMPAIGN,
  CANCELABLE_OCCURRENCE,
  CANCELED_STATES,
  CLOSED_CAMPAIGN,
  ENDED_WITH_OCCURRENCES,
  FINISHABLE_CAMPAIGN,
  FINISHED_STATES,
  isCanceled,
  isFinished,
  OCCURRENCE_STATES,
  OPEN_OCCURRENCE,
  PLANNABLE_CAMPAIGN,
} from './campaign-state.js';

const LISTS: [what: string, states: readonly string[], expected: string][] = [
  [
    'of a campaign',
    CAMPAIGN_STATES,
    'accepted planning awaiting-approval planned running canceling completed expired canceled rejected',
  ],
  ['in which a campaign is closed', CLOSED_CAMPAIGN, 'completed expired canceled rejected'],
  [
    'in which a campaign may be cancelled',
    CANCELABLE_CAMPAIGN,
    'accepted planning awaiting-approval planned running',
  ],
  [
    'in which all sends of a campaign may have ended',
    FINISHABLE_CAMPAIGN,
    'awaiting-approval planned running',
  ],
  ['that the planner may work on', CAMPAIGN_IN_PLANNING, 'planning awaiting-approval planned running'],
  ['in which a plan may be due', PLANNABLE_CAMPAIGN, 'accepted planning awaiting-approval planned running'],
  ['of an occurrence', OCCURRENCE_STATES, 'planned running completed expired canceling canceled skipped'],
  ['in which an occurrence is open', OPEN_OCCURRENCE, 'planned running canceling'],
  ['in which an occurrence may be cancelled', CANCELABLE_OCCURRENCE, 'planned running'],
  ['in which a campaign ends as its occurrences do', ENDED_WITH_OCCURRENCES, 'completed expired canceled'],
  ['that the closer makes', FINISHED_STATES, 'completed expired'],
  ['that a cancel makes', CANCELED_STATES, 'canceling canceled'],
];

describe('the states (life-of-a-send.md, "Campaign and occurrence")', () => {
  it.each(LISTS)('%s', (_what, states, expected) => {
    expect(states.join(' ')).toBe(expected);
  });

  it.each([...new Set([...CAMPAIGN_STATES, ...OCCURRENCE_STATES])])('%s is asked about by name', (state) => {
    expect(isFinished(state)).toBe(['completed', 'expired'].includes(state));
    expect(isCanceled(state)).toBe(['canceling', 'canceled'].includes(state));
  });

  it('what has no state is not cancelled', () => {
    expect(isCanceled(null)).toBe(false);
  });
});

describe('the arrows of a campaign', () => {
  it('never lead out of a closed one', () => {
    expect(campaignArrows().filter(([from]) => CLOSED_CAMPAIGN.includes(from))).toEqual([]);
  });

  it('lead to canceled by way of canceling alone, and from there nowhere else', () => {
    const into = campaignArrows().flatMap(([from, to]) => (to === 'canceled' ? [from] : []));
    const outOf = campaignArrows().flatMap(([from, to]) => (from === 'canceling' ? [to] : []));
    expect([into, outOf]).toEqual([['canceling'], ['canceled']]);
  });
});
