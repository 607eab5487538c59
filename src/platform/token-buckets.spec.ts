import { expect, it } from 'vitest';
import { TokenBuckets, type Wish } from './token-buckets.js';

function bucketsAt() {
  const clock = { now: 0, elapsed: () => clock.now };
  return { clock, buckets: new TokenBuckets(clock) };
}
const wish = (name: string, amount = 1): Wish => ({ name, amount, size: 10, perSecond: 2 });

it('holds its size at first, and refills evenly up to it', () => {
  const { clock, buckets } = bucketsAt();
  expect(buckets.take([wish('a', 10)])).toBeUndefined();
  expect(buckets.take([wish('a')])?.waitMs).toBe(500);
  clock.now = 500;
  expect(buckets.take([wish('a')])).toBeUndefined();
  clock.now = 60_000;
  expect(buckets.take([wish('a', 10)])).toBeUndefined();
  expect(buckets.take([wish('a')])).toBeDefined();
});

it('takes out of all buckets or out of none, and says which one lacks', () => {
  const { buckets } = bucketsAt();
  expect(buckets.take([wish('service', 9)])).toBeUndefined();
  expect(buckets.take([wish('token', 5), wish('service', 5)])).toMatchObject({
    lacking: { name: 'service' },
    waitMs: 2_000,
  });
  expect(buckets.take([wish('token', 10)])).toBeUndefined();
});

it('never holds more than its size', () => {
  const { buckets } = bucketsAt();
  expect(buckets.take([wish('a', 11)])?.waitMs).toBe(Infinity);
});
