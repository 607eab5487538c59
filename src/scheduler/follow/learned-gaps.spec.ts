import { describe, expect, it } from 'vitest';
import { LONGEST_GAP_MS, UNLEARNED_GAP_MS } from '../decide/lifecycle/next-poll.js';
import { LearnedGaps } from './learned-gaps.js';

const MINUTES_10 = 600_000;

describe('the gap that is learned from results', () => {
  it('hardly changes if, because a clock was set, results of a first poll seem to have taken ten minutes', () => {
    const gaps = new LearnedGaps();
    for (let result = 0; result < 40; result += 1) {
      gaps.observe('shop-app', result % 2 === 0 ? MINUTES_10 : -MINUTES_10, 0);
    }
    expect(gaps.of('shop-app')).toBeLessThan(2 * UNLEARNED_GAP_MS);
  });

  it('grows to the time that results take where polls found them not final', () => {
    const gaps = new LearnedGaps();
    for (let result = 0; result < 40; result += 1) gaps.observe('shop-app', 90_000, 9);
    expect(gaps.of('shop-app')).toBeGreaterThanOrEqual(90_000);
    for (let result = 0; result < 64; result += 1) gaps.observe('shop-app', MINUTES_10, 20);
    expect(gaps.of('shop-app')).toBe(LONGEST_GAP_MS);
  });

  it('shrinks where results end sooner, and each project has its own', () => {
    const gaps = new LearnedGaps();
    for (let result = 0; result < 20; result += 1) gaps.observe('slow', 90_000, 9);
    for (let result = 0; result < 64; result += 1) gaps.observe('slow', 1_500, 0);
    expect(gaps.of('slow')).toBeCloseTo(1_650);
    expect(gaps.of('other')).toBe(UNLEARNED_GAP_MS);
  });
});
