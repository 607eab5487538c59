// push-decisions.md, "Limits": a token bucket for each access key and service (429/410), and a daily quota for each service
// (429/400). Each replica has its own buckets, so each of n replicas gives the full rate. The quota is exact over all replicas.
import { takeQuota, type ServiceFacts } from './access.store.js';
import { PushError } from './push-error.js';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { TokenBuckets } from '../../platform/token-buckets.js';

const DAY_MS = 86_400_000;

/** The most requests of the quota that are taken ahead, so that not every request costs a write. */
const MAX_BLOCK = 100;

export class RateLimit {
  readonly #buckets: TokenBuckets;
  readonly #blocks = new Map<string, { day: string; left: number }>();

  constructor(
    private readonly sql: Sql,
    private readonly clock: Clock,
    /** Requests a second where the service has none of its own. */
    private readonly defaultRate: number,
  ) {
    this.#buckets = new TokenBuckets(clock);
  }

  /** Throws throttleLimited or quotaExceeded, both with Retry-After. */
  async take(accessKey: string, service: ServiceFacts): Promise<void> {
    // An access key contains no blank.
    const bucket = `${accessKey} ${service.id}`;
    this.#takeToken(bucket, service.ratePerSecond ?? this.defaultRate, service.rateBurst);
    if (service.quotaPerDay !== null) await this.#takeOfQuota(service.id, service.quotaPerDay);
  }

  #takeToken(name: string, perSecond: number, burst: number | null): void {
    const lack = this.#buckets.take([{ name, amount: 1, size: burst ?? perSecond, perSecond }]);
    if (lack === undefined) return;
    const retryAfterSeconds = Math.max(1, Math.ceil(lack.waitMs / 1_000));
    throw new PushError('throttleLimited', undefined, { retryAfterSeconds });
  }

  async #takeOfQuota(serviceId: string, quota: number): Promise<void> {
    const now = this.clock.now();
    const day = new Date(now).toISOString().slice(0, 10);
    const block = this.#blocks.get(serviceId);
    if (block?.day === day && block.left > 0) {
      block.left -= 1;
      return;
    }
    const wanted = Math.max(1, Math.min(MAX_BLOCK, Math.floor(quota / 100)));
    const taken = await takeQuota(this.sql, { serviceId, day, wanted, quota });
    if (taken === 0) {
      throw new PushError('quotaExceeded', undefined, {
        retryAfterSeconds: Math.ceil((DAY_MS - (now % DAY_MS)) / 1_000),
      });
    }
    // A concurrent request may have taken a block meanwhile: the rest of that block is added.
    const fresh = this.#blocks.get(serviceId);
    this.#blocks.set(serviceId, { day, left: taken - 1 + (fresh?.day === day ? fresh.left : 0) });
  }
}
