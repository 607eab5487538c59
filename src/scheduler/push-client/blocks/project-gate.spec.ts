// Which blocks hold which calls back, and what a due send takes and returns.
import { describe, expect, it } from 'vitest';
import type { Project } from '../../store/project.store.js';
import { ProjectGate, USES } from './project-gate.js';

const NOW = Date.parse('2027-03-01T00:00:00Z');
const ALL = Object.keys(USES) as (keyof typeof USES)[];

const heldBy = (gate: ProjectGate, row?: Partial<Project>, now = NOW, elapsed = 0) =>
  ALL.filter((use) => gate.holdOf(use, now, elapsed, row as Project) !== undefined);
const without = (...uses: (keyof typeof USES)[]) => ALL.filter((use) => !uses.includes(use));

describe('a block by an answer', () => {
  it.each([
    ['QUOTA_EXCEEDED', NOW + 60_000, ALL],
    ['BAD_KEY', Infinity, without('check')],
    ['NO_KEY', NOW + 60_000, without('check')],
  ])('%s holds back the calls that it concerns', (code, until, held) => {
    const gate = new ProjectGate('shop-app');
    gate.hold({ code, until, detail: null }, NOW);
    expect(heldBy(gate)).toEqual(held);
    expect(heldBy(gate, {}, NOW + 5_000)).toEqual([]);
  });

  it('for a fault on our side holds all calls back for its time, or until the project goes on', () => {
    const gate = new ProjectGate('shop-app');
    gate.hold({ code: 'KEY_UNREADABLE', until: NOW + 60_000, detail: null }, NOW, 60_000);
    expect(heldBy(gate, {}, NOW + 59_999)).toEqual(without('check'));
    expect(heldBy(gate, {}, NOW + 60_000)).toEqual([]);
    gate.goOn();
    expect(heldBy(gate)).toEqual([]);
  });

  it('ends if the clock was set back since it began', () => {
    const gate = new ProjectGate('shop-app');
    gate.hold({ code: 'KEY_UNREADABLE', until: NOW + 60_000, detail: null }, NOW, 60_000);
    expect(heldBy(gate, {}, NOW - 1)).toEqual([]);
  });
});

describe('a block of the project’s row', () => {
  it('of an operator lets polls and cancels through, and leaves a due send to SQL', () => {
    const row = { blockedUntil: Infinity, blockedCode: 'STOPPED' };
    const gate = new ProjectGate('shop-app');
    expect(heldBy(gate, row)).toEqual(['send', 'breakdown', 'repeat', 'look-up', 'retries', 'probe']);
    expect(gate.holdOf('send', NOW, 0)).toBeUndefined();
  });

  it('has the members of the row', () => {
    const gate = new ProjectGate('shop-app');
    const row = { blockedUntil: NOW + 10, blockedCode: 'QUOTA_EXCEEDED', blockedDetail: '429/400 none left' };
    expect(gate.holdOf('poll', NOW, 0, row as Project)).toEqual({
      code: 'QUOTA_EXCEEDED',
      until: NOW + 10,
      detail: '429/400 none left',
      waitMs: 10,
    });
    expect(heldBy(gate, row, NOW + 10)).toEqual([]);
  });
});

describe('a due send', () => {
  const ready = (): ProjectGate => {
    const gate = new ProjectGate('shop-app', { after: 1, baseMs: 100, capMs: 100 });
    gate.tokens.due.add({ granted: 1, waitMs: 0 }, 0);
    return gate;
  };

  it('takes a token and a place, and returns both if no call was made', () => {
    const gate = ready();
    gate.sendLeaves('a', 0);
    expect([gate.tokens.due.left(0), gate.places.sends, gate.sendWaitsMs(NOW, 0)]).toEqual([0, 1, undefined]);
    gate.sendEnded('a', false);
    expect([gate.tokens.due.left(0), gate.places.sends, gate.sendWaitsMs(NOW, 0)]).toEqual([1, 0, 0]);
  });

  it('is the probe of a half-open circuit, and allows another if no call was made', () => {
    const gate = ready();
    gate.circuit.ended('bad', 0);
    expect([heldBy(gate), gate.sendWaitsMs(NOW, 40)]).toEqual([['send', 'repeat'], 60]);
    gate.circuit.getAnswered('good', 100);
    expect(gate.sendWaitsMs(NOW, 100)).toBe(0);
    gate.sendLeaves('a', 100);
    gate.places.inFlight = 2;
    gate.tokens.due.add({ granted: 1, waitMs: 0 }, 100);
    expect(gate.sendWaitsMs(NOW, 100)).toBeUndefined();
    gate.sendEnded('a', false);
    expect(gate.sendWaitsMs(NOW, 100)).toBe(0);
  });

  it('has tokens that no other call takes', () => {
    const gate = ready();
    expect([gate.tokens.sends.take(0), gate.tokens.polls.take(0), gate.tokens.spare.take(0)]).toEqual([
      false,
      false,
      false,
    ]);
    expect(gate.sendWaitsMs(NOW, 0)).toBe(0);
  });
});
