import { describe, expect, it } from 'vitest';
import { TokenBucket } from './token-bucket.js';

describe('a helping of tokens', () => {
  it('is taken one by one, and is good for a second', () => {
    const helping = new TokenBucket();
    expect([helping.left(0), helping.take(0)]).toEqual([0, false]);
    helping.add({ granted: 2, waitMs: 0 }, 0);
    expect([helping.take(0), helping.left(999), helping.left(1_000), helping.take(1_000)]).toEqual([
      true,
      1,
      0,
      false,
    ]);
  });

  it('gets back what was not called with', () => {
    const helping = new TokenBucket();
    helping.add({ granted: 1, waitMs: 0 }, 0);
    helping.take(0);
    helping.putBack();
    expect(helping.left(0)).toBe(1);
  });

  it('adds to what is left, never to what is over', () => {
    const helping = new TokenBucket();
    helping.add({ granted: 2, waitMs: 0 }, 0);
    helping.add({ granted: 3, waitMs: 0 }, 500);
    expect(helping.left(500)).toBe(5);
    helping.add({ granted: 1, waitMs: 0 }, 1_600);
    expect(helping.left(1_600)).toBe(1);
  });

  it('is asked for again only when there is likely one, and at once after it was given', () => {
    const helping = new TokenBucket();
    helping.add({ granted: 0, waitMs: 250 }, 100);
    expect([helping.askAgainIn(100), helping.askAgainIn(300), helping.askAgainIn(400)]).toEqual([250, 50, 0]);
    helping.add({ granted: 1, waitMs: 250 }, 400);
    expect(helping.askAgainIn(400)).toBe(0);
  });
});
