// Every list of states against the words of life-of-a-send.md. The arrows, state by observation, are held to its table and to
// the database in test/contract/lifecycle.spec.ts.
import { describe, expect, it } from 'vitest';
import {
  allArrows,
  ATTENTION_STATES,
  AWAITED_STATES,
  BEGUN_STATES,
  BIRTH_STATES,
  ENDED_STATES,
  nextState,
  OBSERVATIONS,
  OPEN_STATES,
  PUBLISHED_STATES,
  REPLACED_STATES,
  RETRYABLE_STATES,
  SEND_GOALS,
  SEND_STATES,
  SEND_TERMS,
  statesOfTerm,
  statesOfWork,
  statesTakenBack,
  UNSENT_STATES,
  VOLATILE_STATES,
} from './send-state.js';

const LISTS: [what: string, states: readonly string[], expected: string][] = [
  ['that it may be born in', BIRTH_STATES, 'planned expired skipped'],
  [
    'that nothing follows',
    ENDED_STATES,
    'sent failed empty stale rejected canceled expired skipped superseded',
  ],
  [
    'that are published as outcomes',
    PUBLISHED_STATES,
    'accepted reserved scheduled uncertain sent failed empty stale rejected canceled expired skipped superseded',
  ],
  [
    'that a hand-off leads to, so that the campaign runs',
    BEGUN_STATES,
    'accepted reserved scheduled uncertain sent failed empty stale rejected',
  ],
  ['that need attention', ATTENTION_STATES, 'uncertain failed stale rejected expired'],
  ['that an operator may retry', RETRYABLE_STATES, 'failed stale rejected expired'],
  ['that keep a campaign open', OPEN_STATES, 'planned sending accepted reserved scheduled canceling held'],
  ['that an answer still decides', AWAITED_STATES, 'sending uncertain'],
  ['that ended before any hand-off', UNSENT_STATES, 'canceled expired skipped superseded'],
  [
    'whose due and requestId may change after they are published',
    VOLATILE_STATES,
    'reserved scheduled uncertain',
  ],
  ['that are counted nowhere', REPLACED_STATES, 'superseded'],
  ['that are fired', statesOfWork('fire'), 'planned sending'],
  ['that are polled', statesOfWork('poll'), 'accepted reserved scheduled'],
  ['that are cancelled at the push service', statesOfWork('cancel'), 'canceling'],
  ['that are repeated or asked about', statesOfWork('repeat'), 'uncertain'],
  ['that an act takes back at once', statesTakenBack('at-once'), 'planned held'],
  ['that an act asks the push service for', statesTakenBack('asks'), 'reserved scheduled'],
  ['in which an act waits for an answer', statesTakenBack('waits'), 'sending canceling uncertain'],
];

describe('the states of a send (life-of-a-send.md, "Send: states")', () => {
  it.each(LISTS)('%s', (_what, states, expected) => {
    expect(states.join(' ')).toBe(expected);
  });

  it('may be retried only once ended, and are published once a hand-off began or they ended', () => {
    expect(RETRYABLE_STATES.filter((state) => !ENDED_STATES.includes(state))).toEqual([]);
    expect(PUBLISHED_STATES).toEqual(
      SEND_STATES.filter((state) => BEGUN_STATES.includes(state) || ENDED_STATES.includes(state)),
    );
  });
});

describe('what a send counts as (life-of-a-send.md, "Guarantee 3")', () => {
  it.each([
    ['sent', 'sent'],
    ['empty', 'empty'],
    ['failed', 'failed'],
    ['stale', 'stale'],
    ['rejected', 'rejected'],
    ['canceled', 'canceled'],
    ['expired', 'expired'],
    ['skipped', 'skipped'],
    ['uncertain', 'uncertain'],
    ['standing', 'scheduled'],
    ['open', 'planned sending accepted reserved canceling held'],
  ] as const)('%s: %s', (term, states) => {
    expect(statesOfTerm(term).join(' ')).toBe(states);
  });

  it('is one term for each state but the replaced ones, so that the terms add up to what was planned', () => {
    const counted = SEND_TERMS.flatMap((term) => statesOfTerm(term));
    expect(counted.toSorted()).toEqual(SEND_STATES.filter((state) => state !== 'superseded').toSorted());
  });
});

describe('what an observation leads to', () => {
  it('is nothing after an end', () => {
    for (const state of ENDED_STATES)
      for (const observation of OBSERVATIONS)
        for (const goal of [undefined, ...SEND_GOALS])
          expect(nextState(state, observation, goal), `${state} ${observation}`).toBeUndefined();
  });

  // life-of-a-send.md, "Send: arrows": the goal is what a cancel, a pause or a revision asked for.
  it.each([
    ['planned', 'taken-back', ['held', 'superseded', 'canceled']],
    ['sending', 'taken-back', ['held', 'superseded', 'canceled']],
    ['canceling', 'cancel-confirmed', ['held', 'superseded', 'canceled']],
    // Held already, a hold changes nothing.
    ['held', 'taken-back', [undefined, 'superseded', 'canceled']],
  ] as const)(
    'is the goal for %s when %s, and nothing where there is none',
    (state, observation, expected) => {
      expect(SEND_GOALS.map((goal) => nextState(state, observation, goal))).toEqual(expected);
      expect(nextState(state, observation)).toBeUndefined();
    },
  );

  it('is the same whatever the goal, where the arrow does not lead to it', () => {
    const toGoal = [
      'planned taken-back',
      'sending taken-back',
      'held taken-back',
      'canceling cancel-confirmed',
    ];
    for (const state of SEND_STATES) {
      for (const observation of OBSERVATIONS) {
        if (toGoal.includes(`${state} ${observation}`)) continue;
        const plain = nextState(state, observation);
        for (const goal of SEND_GOALS)
          expect(nextState(state, observation, goal), `${state} ${observation} ${goal}`).toBe(plain);
      }
    }
  });

  it('is never the state itself, and each pair is listed once', () => {
    const pairs = allArrows().map(([from, to]) => `${from} ${to}`);
    expect(new Set(pairs).size).toBe(pairs.length);
    expect(allArrows().filter(([from, to]) => from === to)).toEqual([]);
  });

  it('leads from every state that has not ended to one that has', () => {
    const ends = new Set<string>(ENDED_STATES);
    for (let grown = -1; grown !== ends.size;) {
      grown = ends.size;
      for (const [from, to] of allArrows()) if (ends.has(to)) ends.add(from);
    }
    expect([...ends].toSorted()).toEqual([...SEND_STATES].toSorted());
  });
});
