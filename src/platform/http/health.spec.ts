// Checks are run side by side, none can hide another, and a note shows without making the process unready.
import { describe, expect, it, vi } from 'vitest';
import { SteppedClock } from '../clock.js';
import { Health } from './health.js';

class HandClock extends SteppedClock {
  elapsedMs = 0;
  override elapsed(): number {
    return this.elapsedMs;
  }
}

function newHealth() {
  const clock = new HandClock('2027-01-01T00:00:00Z');
  return { clock, health: new Health(clock) };
}

describe('Health', () => {
  it('is ready when every check passes, and without any', async () => {
    const { health } = newHealth();
    expect(await health.report()).toEqual({ ready: true, checks: [] });
  });

  it('names what is wrong, also where a check throws', async () => {
    const { health } = newHealth();
    health.add({ name: 'well', find: () => undefined });
    health.add({ name: 'found', find: () => 'do this' });
    health.add({ name: 'broken', find: () => Promise.reject(new Error('no answer')) });
    expect(await health.report()).toEqual({
      ready: false,
      checks: [
        { name: 'well', ok: true, text: 'ok' },
        { name: 'found', ok: false, text: 'do this' },
        { name: 'broken', ok: false, text: 'no answer' },
      ],
    });
  });

  it('stays ready over a note', async () => {
    const { health } = newHealth();
    health.add({ name: 'some', isNote: true, find: () => 'one of two is away' });
    expect(await health.report()).toEqual({
      ready: true,
      checks: [{ name: 'some', ok: false, note: true, text: 'one of two is away' }],
    });
  });

  it('stays ready where what would be a note comes too late, or breaks', async () => {
    vi.useFakeTimers();
    try {
      const { health } = newHealth();
      health.add({ name: 'late', isNote: true, find: () => new Promise(() => undefined) });
      health.add({ name: 'broken', isNote: true, find: () => Promise.reject(new Error('no answer')) });
      health.add({ name: 'found', isNote: true, find: () => 'one of two is away' });
      health.add({ name: 'well', isNote: true, find: () => undefined });
      const report = health.report();
      await vi.advanceTimersByTimeAsync(2_000);
      expect(await report).toEqual({
        ready: true,
        checks: [
          { name: 'late', ok: false, note: true, text: 'no answer within 2000 ms' },
          { name: 'broken', ok: false, note: true, text: 'no answer' },
          { name: 'found', ok: false, note: true, text: 'one of two is away' },
          { name: 'well', ok: true, text: 'ok' },
        ],
      });
    } finally {
      vi.useRealTimers();
    }
  });

  it('asks at most four times a second, however often it is asked', async () => {
    const { clock, health } = newHealth();
    let asked = 0;
    health.add({ name: 'counted', find: () => void (asked += 1) });
    await Promise.all(Array.from({ length: 50 }, () => health.report()));
    expect(asked).toBe(1);
    clock.elapsedMs = 250;
    await health.report();
    expect(asked).toBe(2);
  });
});
