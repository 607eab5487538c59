// FCM's rate: slowly up from the first request, and anew after a rest.
import { expect, it } from 'vitest';
import { RateRamp } from './rate-ramp.js';
import { TokenBucket } from './token-bucket.js';

/** A ramp with the bucket that it is for. */
class Ramped {
  readonly #ramp: RateRamp;
  readonly #bucket = new TokenBucket();

  constructor(fullPerSecond: number) {
    this.#ramp = new RateRamp(fullPerSecond);
  }

  perSecond(now: number): number {
    return this.#ramp.perSecond(now);
  }

  available(now: number): number {
    return Math.floor(this.#bucket.fill(now, this.perSecond(now), this.#ramp.burst(now)));
  }

  take(now: number): void {
    this.#bucket.take();
    this.#ramp.used(now);
  }
}

/** Takes whatever is available, each 10 ms from `from`; returns how many in that time. */
function drain(ramp: Ramped, from: number, ms: number): number {
  let taken = 0;
  for (let now = from; now < from + ms; now += 10) {
    for (let left = ramp.available(now); left > 0; left -= 1) {
      ramp.take(now);
      taken += 1;
    }
  }
  return taken;
}

it('begins at 500 a second and comes to its full rate within a minute', () => {
  const ramp = new Ramped(9_000);
  const first = drain(ramp, 1_000, 1_000);
  expect(first).toBeGreaterThan(500);
  expect(first).toBeLessThan(700);
  drain(ramp, 2_000, 59_000);
  const full = drain(ramp, 61_000, 1_000);
  expect(full).toBeGreaterThan(8_900);
  expect(full).toBeLessThanOrEqual(9_100);
});

it('begins anew after five minutes without a request, and not before', () => {
  const ramp = new Ramped(9_000);
  drain(ramp, 0, 61_000);
  expect(ramp.perSecond(61_000 + 299_000)).toBe(9_000);
  expect(ramp.available(61_000 + 299_000)).toBe(900);
  const rested = new Ramped(9_000);
  drain(rested, 0, 61_000);
  expect(rested.available(61_000 + 300_000)).toBe(50);
});

it('gives the next when its time has come', () => {
  const ramp = new Ramped(500);
  while (ramp.available(0) > 0) ramp.take(0);
  expect(ramp.available(1.9)).toBe(0);
  expect(ramp.available(2)).toBe(1);
});
