import { describe, expect, it } from 'vitest';
import { TokenBucket } from './token-bucket.js';

describe('a batch of tokens', () => {
  it('is taken one by one, and is valid for a second', () => {
    const bucket = new TokenBucket('shop-app');
    expect([bucket.left(0), bucket.take(0)]).toEqual([0, false]);
    bucket.add({ granted: 2, waitMs: 0 }, 0);
    expect([bucket.take(0), bucket.left(999), bucket.left(1_000), bucket.take(1_000)]).toEqual([
      true,
      1,
      0,
      false,
    ]);
  });

  it('gets a token back if no call was made', () => {
    const bucket = new TokenBucket('shop-app');
    bucket.add({ granted: 1, waitMs: 0 }, 0);
    bucket.take(0);
    bucket.putBack();
    expect(bucket.left(0)).toBe(1);
  });

  it('is added to tokens that are left, but not to expired ones', () => {
    const bucket = new TokenBucket('shop-app');
    bucket.add({ granted: 2, waitMs: 0 }, 0);
    bucket.add({ granted: 3, waitMs: 0 }, 500);
    expect(bucket.left(500)).toBe(5);
    bucket.add({ granted: 1, waitMs: 0 }, 1_600);
    expect(bucket.left(1_600)).toBe(1);
  });

  it('is asked for again when the database may have one, and at once after a grant', () => {
    const bucket = new TokenBucket('shop-app');
    bucket.add({ granted: 0, waitMs: 250 }, 100);
    expect([bucket.askAgainIn(100), bucket.askAgainIn(300), bucket.askAgainIn(400)]).toEqual([250, 50, 0]);
    bucket.add({ granted: 1, waitMs: 250 }, 400);
    expect(bucket.askAgainIn(400)).toBe(0);
  });
});
