// How the window grows and is cut, by a clock of the test's own.
import { describe, expect, it } from 'vitest';
import type { PaceSign } from './judged-answer.js';
import { RequestWindow } from './request-window.js';

const MOST = 1_000;

function answers(window: RequestWindow, signs: readonly PaceSign[], now: number, most = MOST): number {
  for (const sign of signs) window.answered(sign, now, most);
  return window.size;
}
const many = (count: number, sign: PaceSign): PaceSign[] => Array.from({ length: count }, () => sign);

/** Doubled to `size`, at the returned time. */
function grown(doublings: number): { window: RequestWindow; now: number } {
  const window = new RequestWindow();
  for (let second = 0; second <= doublings; second += 1) answers(window, ['taken'], second * 1_000);
  return { window, now: doublings * 1_000 };
}

describe('a window', () => {
  it('is one until the first push is taken, then fifty', () => {
    const window = new RequestWindow();
    expect(window.size).toBe(1);
    expect(answers(window, many(30, 'none'), 0)).toBe(1);
    expect(answers(window, ['taken'], 0)).toBe(50);
  });

  it('doubles once a second, up to all streams', () => {
    const window = new RequestWindow();
    answers(window, ['taken'], 0);
    expect(answers(window, many(200, 'taken'), 999)).toBe(50);
    expect(answers(window, many(200, 'taken'), 1_000)).toBe(100);
    expect(answers(window, ['taken'], 2_000)).toBe(200);
    expect(answers(window, ['taken'], 3_000, 300)).toBe(300);
    expect(answers(window, ['taken'], 4_000, 300)).toBe(300);
  });

  it('is cut to half by a 429 of the credential, at most once a second', () => {
    const { window, now } = grown(2);
    expect(answers(window, many(10, 'limited'), now)).toBe(100);
    expect(answers(window, ['limited'], now + 999)).toBe(100);
    expect(answers(window, ['limited'], now + 1_000)).toBe(50);
  });

  it('is never cut below four', () => {
    const { window, now } = grown(0);
    for (let second = 1; second < 10; second += 1) answers(window, ['limited'], now + second * 1_000);
    expect(window.size).toBe(4);
  });

  it('grows by one for each window of answers after a cut', () => {
    const { window, now } = grown(0);
    expect(answers(window, ['limited'], now)).toBe(25);
    expect(answers(window, many(24, 'taken'), now + 5_000)).toBe(25);
    expect(answers(window, ['taken'], now + 5_000)).toBe(26);
    expect(answers(window, many(26, 'taken'), now + 5_000)).toBe(27);
  });

  it.each<PaceSign>(['busy', 'silent'])('is cut by more than ten of the last hundred that are %s', (sign) => {
    const { window, now } = grown(0);
    expect(answers(window, [...many(90, 'taken'), ...many(10, sign)], now)).toBe(50);
    expect(answers(window, [sign], now)).toBe(25);
  });

  it('bounds a rate as well, in proportion', () => {
    const { window, now } = grown(0);
    expect(window.perSecond).toBe(1_000);
    answers(window, ['limited'], now);
    expect(window.perSecond).toBe(500);
  });

  it('forgets trouble that is more than a hundred answers ago', () => {
    const { window, now } = grown(0);
    answers(window, [...many(10, 'busy'), ...many(100, 'none'), 'busy'], now);
    expect(window.size).toBe(50);
  });

  it('begins anew after the credential was refused', () => {
    const { window, now } = grown(3);
    window.restart();
    expect(window.size).toBe(1);
    expect(answers(window, ['taken'], now)).toBe(50);
  });
});
