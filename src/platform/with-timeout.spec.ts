// What is late goes on by itself.
import { describe, expect, it } from 'vitest';
import { LATE, within } from './with-timeout.js';

describe('within', () => {
  it('gives what the work comes to', async () => {
    expect(await within(Promise.resolve(7), 1_000)).toBe(7);
    await expect(within(Promise.reject(new Error('no')), 1_000)).rejects.toThrow('no');
  });

  it('says LATE of work that does not end, and takes its later failure for nobody’s', async () => {
    const fail: { now?: () => void } = {};
    const work = new Promise<never>((_, reject) => {
      fail.now = () => reject(new Error('at last'));
    });
    expect(await within(work, 5)).toBe(LATE);
    fail.now?.();
    // If nobody had handled it, the process would get an event by the end of this turn.
    await expect(work).rejects.toThrow('at last');
  });
});
