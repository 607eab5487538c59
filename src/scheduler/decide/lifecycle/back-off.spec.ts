import { describe, expect, it } from 'vitest';
import { LONGEST_WAIT_MS, nextAttempt, type FailedAttempt } from './back-off.js';

const now = Date.parse('2027-03-01T00:00Z');
const failed = (overrides: Partial<FailedAttempt>): FailedAttempt => ({
  failures: 1,
  now,
  random: 0,
  deadlineAt: now + 86_400_000,
  ...overrides,
});
const waits = (overrides: Partial<FailedAttempt>): number => {
  const next = nextAttempt(failed(overrides));
  return next.kind === 'at' ? next.at - now : -1;
};

describe('nextAttempt', () => {
  it('doubles from half a second to half a minute, and draws as much again on top', () => {
    expect([1, 2, 3, 7, 8, 1_000].map((failures) => waits({ failures }))).toEqual([
      500, 1_000, 2_000, 30_000, 30_000, 30_000,
    ]);
    expect([1, 2, 8].map((failures) => waits({ failures, random: 0.999_999 }))).toEqual([
      1_000, 2_000, 60_000,
    ]);
  });
  it('honours a longer Retry-After, never comes back before it, and never with the crowd', () => {
    expect(waits({ retryAfterMs: 120_000 })).toBe(120_000);
    expect(waits({ retryAfterMs: 120_000, random: 0.5 })).toBe(120_250);
    expect(waits({ failures: 8, retryAfterMs: 1_000 })).toBe(30_000);
  });
  it('honours no Retry-After beyond five minutes', () => {
    expect(waits({ retryAfterMs: 300_000 })).toBe(300_000);
    expect(waits({ retryAfterMs: 999_999_000 })).toBe(300_000);
  });
  it('does not go beyond the deadline', () => {
    expect(nextAttempt(failed({ deadlineAt: now + 499 }))).toEqual({ kind: 'deadline' });
    expect(nextAttempt(failed({ deadlineAt: now + 500 }))).toEqual({ kind: 'at', at: now + 500 });
  });
  it('stays within its cap for any number of failures', () => {
    for (let failures = 1; failures < 200; failures += 1) {
      expect(waits({ failures, random: 0.999 })).toBeLessThanOrEqual(LONGEST_WAIT_MS);
    }
  });
});
