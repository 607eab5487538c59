import { describe, expect, it } from 'vitest';
import { SEND_STATES } from '../../../../src/scheduler/decide/lifecycle/send-state.js';
import { SEND_TERMS, statesOfTerm, summedSends, TERM_OF } from './send-terms.ts';

describe('the terms of sends', () => {
  it('hold every state of the lifecycle once', () => {
    expect(Object.keys(TERM_OF).toSorted()).toEqual([...SEND_STATES].toSorted());
    const held = SEND_TERMS.flatMap(statesOfTerm);
    expect(new Set(held).size).toBe(held.length);
  });

  it('add up to the whole, without what was replaced', () => {
    const { total, terms } = summedSends({ sent: 5, failed: 2, stale: 1, reserved: 4, superseded: 9 });
    expect([total, terms.sent, terms.failed, terms.open]).toEqual([12, 5, 3, 4]);
  });

  it('drop no state that a newer server names', () => {
    expect(summedSends({ dreaming: 3, constructor: 1 }).terms.open).toBe(4);
  });
});
