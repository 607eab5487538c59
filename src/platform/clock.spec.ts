import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SystemClock } from './clock.js';

const DAY_MS = 86_400_000;

describe("the machine's clock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse('2027-03-01T00:00:00Z') });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it.each([25, 30, 400])('fires in %i days what is due then: Node would at once', (days) => {
    const clock = new SystemClock();
    let firedAt: number | undefined;
    clock.at(clock.now() + days * DAY_MS, () => (firedAt = clock.now()));
    vi.advanceTimersByTime(days * DAY_MS - 1);
    expect(firedAt).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(firedAt).toBe(Date.parse('2027-03-01T00:00:00Z') + days * DAY_MS);
  });

  it('fires nothing that was cancelled, whichever of its timers runs', () => {
    const clock = new SystemClock();
    const fire = vi.fn();
    const cancel = clock.at(clock.now() + 60 * DAY_MS, fire);
    vi.advanceTimersByTime(40 * DAY_MS);
    cancel();
    vi.advanceTimersByTime(40 * DAY_MS);
    expect(fire).not.toHaveBeenCalled();
  });

  it('fires at once, but never synchronously, what is due already', () => {
    const clock = new SystemClock();
    const fire = vi.fn();
    clock.at(clock.now() - 1, fire);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(0);
    expect(fire).toHaveBeenCalledTimes(1);
  });
});
