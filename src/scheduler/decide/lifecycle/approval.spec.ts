import { describe, expect, it } from 'vitest';
import { judgeApproval, type ApprovalFacts, type ApprovalGiven } from './approval.js';
import { CAMPAIGN_STATES } from './campaign-state.js';

const HASH = 'a'.repeat(64);
const FACTS: ApprovalFacts = {
  state: 'awaiting-approval',
  code: null,
  revision: 2,
  hash: HASH,
  ownAccord: true,
  projectAsks: false,
  publishedBy: 'publisher',
};
const APPROVE: ApprovalGiven = {
  act: 'approve',
  tokenId: 'operator',
  isOperator: true,
  saw: { revision: 2, hash: HASH },
};
const DECLINE: ApprovalGiven = { act: 'decline', tokenId: 'operator', isOperator: true };

const answer = (facts: Partial<ApprovalFacts>, given: ApprovalGiven): string => {
  const judged = judgeApproval({ ...FACTS, ...facts }, given);
  return judged.kind === 'refused' ? judged.code : judged.kind;
};

describe('an answer to a campaign that is', () => {
  const ANSWERS = {
    accepted: ['NOT_PLANNED_YET', 'NOT_PLANNED_YET'],
    planning: ['NOT_PLANNED_YET', 'NOT_PLANNED_YET'],
    'awaiting-approval': ['asked', 'asked'],
    planned: ['already', 'APPROVED_ALREADY'],
    running: ['already', 'APPROVED_ALREADY'],
    canceling: ['CAMPAIGN_CLOSED', 'CAMPAIGN_CLOSED'],
    completed: ['CAMPAIGN_CLOSED', 'CAMPAIGN_CLOSED'],
    expired: ['CAMPAIGN_CLOSED', 'CAMPAIGN_CLOSED'],
    canceled: ['CAMPAIGN_CLOSED', 'CAMPAIGN_CLOSED'],
    rejected: ['CAMPAIGN_CLOSED', 'CAMPAIGN_CLOSED'],
  } as const satisfies Record<ApprovalFacts['state'], readonly [approve: string, decline: string]>;

  it.each(CAMPAIGN_STATES)('%s', (state) => {
    expect([answer({ state }, APPROVE), answer({ state }, DECLINE)]).toEqual(ANSWERS[state]);
  });

  it.each(['canceling', 'canceled'] as const)('%s because somebody declined it', (state) => {
    const declined = { state, code: 'DECLINED' };
    expect([answer(declined, APPROVE), answer(declined, DECLINE)]).toEqual(['CAMPAIGN_CLOSED', 'already']);
  });
});

describe('what was looked at', () => {
  it.each([
    ['another revision', { revision: 1, hash: HASH }, 'REVISION_CHANGED'],
    ['another hash', { revision: 2, hash: 'b'.repeat(64) }, 'HASH_DIFFERS'],
    ['another revision with another hash', { revision: 1, hash: 'b'.repeat(64) }, 'REVISION_CHANGED'],
  ])('%s is not approved, nor said to be', (_what, saw, code) => {
    expect(answer({}, { ...APPROVE, saw })).toBe(code);
    expect(answer({ state: 'running' }, { ...APPROVE, saw })).toBe(code);
  });
});

describe('who answers', () => {
  const operator = { isOperator: true, tokenId: 'operator' };
  const both = { isOperator: true, tokenId: 'publisher' };
  const publisher = { isOperator: false, tokenId: 'publisher' };
  const colleague = { isOperator: false, tokenId: 'colleague' };

  it.each([
    ['an operator', true, false, operator, ['asked', 'asked']],
    ['the publisher, of its own accord', true, false, publisher, ['asked', 'asked']],
    ['another publisher of the service', true, false, colleague, ['asked', 'asked']],
    ['an operator, where the project asks', false, true, operator, ['asked', 'asked']],
    ['an operator that published it', false, true, both, ['SAME_HAND', 'asked']],
    ['an operator that published it, where both ask', true, true, both, ['SAME_HAND', 'asked']],
    ['the publisher, where both ask', true, true, publisher, ['not-theirs', 'not-theirs']],
    ['another publisher, where the project asks', false, true, colleague, ['not-theirs', 'not-theirs']],
  ])('%s', (_who, ownAccord, projectAsks, who, expected) => {
    const facts = { ownAccord, projectAsks };
    expect([answer(facts, { ...APPROVE, ...who }), answer(facts, { ...DECLINE, ...who })]).toEqual(expected);
  });

  it('what came over Kafka has no token that could be the same', () => {
    expect(answer({ projectAsks: true, publishedBy: null }, APPROVE)).toBe('asked');
  });
});
