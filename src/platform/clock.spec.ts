import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fastClock, SystemClock } from './clock.js';

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

describe("the sandbox's fast clock", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: Date.parse('2027-03-01T00:00:00Z') });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it('two processes that are given one `since` show one time, whenever each started', () => {
    const setting = 'origin=2028-05-01T00:00:00+09:00,rate=720,since=2027-03-01T00:00:01Z';
    const first = fastClock(setting);
    vi.advanceTimersByTime(11_000);
    const second = fastClock(setting);
    expect(new Date(second.now()).toISOString()).toBe('2028-04-30T17:00:00.000Z');
    expect(first.now()).toBe(second.now());
  });

  it('without `since` it shows its origin at its start, and its timers fire by its own time', () => {
    vi.advanceTimersByTime(11_000);
    const clock = fastClock('origin=2028-05-01T00:00:00Z,rate=60');
    const fire = vi.fn();
    clock.at(Date.parse('2028-05-01T00:10:00Z'), fire);
    vi.advanceTimersByTime(9_999);
    expect(fire).not.toHaveBeenCalled();
    vi.advanceTimersByTime(2);
    expect(fire).toHaveBeenCalledTimes(1);
  });

  it.each([
    'origin=2028-05-01T00:00:00,rate=2',
    'origin=2028-05-01,rate=2',
    'origin=2028-05-01T00:00:00Z,rate=0.5',
    'origin=2028-05-01T00:00:00Z,rate=721',
    'origin=2028-05-01T00:00:00Z,rate=2,since=now',
    'rate=2,origin=2028-05-01T00:00:00Z',
  ])('refuses %s', (setting) => {
    expect(() => fastClock(setting)).toThrow('origin=<instant with offset>,rate=<1 to 720>');
  });
});
