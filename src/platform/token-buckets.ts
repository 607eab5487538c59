// Token buckets by name, each refilled evenly. Each process has its own: each of n replicas gives the whole rate.
import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.js';

interface Bucket {
  tokens: number;
  /** elapsed() of the last refill. */
  at: number;
}

/** What to take from one bucket. */
export interface Wish {
  readonly name: string;
  readonly amount: number;
  /** The most tokens. A new bucket has as many. */
  readonly size: number;
  /** Tokens that come back a second. */
  readonly perSecond: number;
}

/** Beyond this number, the bucket that was unused for longest is forgotten, and so is full again. */
const MAX_BUCKETS = 20_000;

export class TokenBuckets {
  readonly #buckets = new LRUCache<string, Bucket>({ max: MAX_BUCKETS });

  constructor(private readonly clock: Pick<Clock, 'elapsed'>) {}

  /**
   * Takes what is wished from each bucket, or nothing from any. Then it returns the first bucket that lacks tokens, and how long
   * until it has them, real milliseconds; Infinity where it never has so many. No bucket may be named twice.
   */
  take<Wished extends Wish>(
    wishes: readonly Wished[],
  ): { readonly lacking: Wished; readonly waitMs: number } | undefined {
    const filled = wishes.map((wish) => ({ wish, bucket: this.#refilled(wish) }));
    for (const { wish: lacking, bucket } of filled) {
      const { amount, size, perSecond } = lacking;
      if (bucket.tokens >= amount) continue;
      const waitMs = amount > size ? Infinity : ((amount - bucket.tokens) / perSecond) * 1_000;
      return { lacking, waitMs };
    }
    for (const { wish, bucket } of filled) bucket.tokens -= wish.amount;
    return undefined;
  }

  /** How many tokens a bucket has now. */
  left(wish: Omit<Wish, 'amount'>): number {
    return this.#refilled(wish).tokens;
  }

  #refilled({ name, size, perSecond }: Omit<Wish, 'amount'>): Bucket {
    const now = this.clock.elapsed();
    const bucket = this.#buckets.get(name) ?? { tokens: size, at: now };
    bucket.tokens = Math.min(size, bucket.tokens + ((now - bucket.at) / 1_000) * perSecond);
    bucket.at = now;
    this.#buckets.set(name, bucket);
    return bucket;
  }
}
