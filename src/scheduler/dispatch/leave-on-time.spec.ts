import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SteppedClock } from '../../platform/clock.js';
import { FIRE_AHEAD_MS, firedFor, leaveOnTime } from './leave-on-time.js';

const DUE = Date.parse('2027-03-01T09:00:00Z');

describe('a send that was fired ahead', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const waiting = (clock: SteppedClock): string[] => {
    const called: string[] = [];
    leaveOnTime(
      clock,
      DUE,
      () => called.push('go'),
      () => called.push('gone'),
    );
    return called;
  };

  it('leaves at its instant and not a millisecond before, once', () => {
    const clock = new SteppedClock(DUE - FIRE_AHEAD_MS);
    const called = waiting(clock);
    clock.set(DUE - 1);
    expect(called).toEqual([]);
    clock.set(DUE);
    vi.advanceTimersByTime(60_000);
    expect(called).toEqual(['go']);
  });

  it('leaves at once when its instant has passed', () => {
    expect(waiting(new SteppedClock(DUE))).toEqual(['go']);
  });

  it('does not leave when the clock was set back, not even when its instant comes', () => {
    const clock = new SteppedClock(DUE - 1);
    const called = waiting(clock);
    clock.advance(-600_000);
    vi.advanceTimersByTime(FIRE_AHEAD_MS + 1_000);
    expect(called).toEqual(['gone']);
    clock.set(DUE);
    expect(called).toEqual(['gone']);
  });

  it('is checked and recorded by its own instant; one that is late or far ahead, by now', () => {
    expect([-5, 0, 1, FIRE_AHEAD_MS, FIRE_AHEAD_MS + 1].map((ms) => firedFor(DUE + ms, DUE) - DUE)).toEqual([
      0,
      0,
      1,
      FIRE_AHEAD_MS,
      0,
    ]);
  });
});
