// §5: what the gateway knows about access keys, remembered for a few seconds: one look-up a key and period, whatever
// the number of requests. Unknown keys are remembered too. Never holds more than MAX_KEYS.
import { findAccess, type ServiceFacts } from './access.store.js';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database.js';
import type { Sealer } from '../../platform/sealed.js';

export interface Access {
  readonly accountId: string;
  readonly secretKey: string;
  readonly services: ReadonlyMap<string, ServiceFacts>;
}

interface Remembered {
  /** elapsed() of the look-up. */
  readonly since: number;
  readonly access: Promise<Access | undefined>;
}

const MAX_KEYS = 10_000;

export class AccessCache {
  readonly #remembered = new Map<string, Remembered>();

  constructor(
    private readonly sql: Sql,
    private readonly sealer: Sealer,
    private readonly clock: Clock,
    /** Milliseconds; 0 looks up every time. */
    private readonly periodMs: number,
  ) {}

  /** The enabled key's rights, or undefined for one that is unknown or disabled. Concurrent calls share a look-up. */
  get(accessKey: string): Promise<Access | undefined> {
    const now = this.clock.elapsed();
    const known = this.#remembered.get(accessKey);
    if (known !== undefined && now - known.since < this.periodMs) return known.access;
    const access = this.#lookUp(accessKey);
    this.#remembered.delete(accessKey);
    this.#remembered.set(accessKey, { since: now, access });
    this.#dropOldest();
    // A failed look-up is not an answer; the next request asks again.
    access.catch(() => {
      if (this.#remembered.get(accessKey)?.access === access) this.#remembered.delete(accessKey);
    });
    return access;
  }

  /** Forgets everything: something about keys or services was changed. */
  clear(): void {
    this.#remembered.clear();
  }

  async #lookUp(accessKey: string): Promise<Access | undefined> {
    const row = await findAccess(this.sql, accessKey);
    if (row === undefined || !row.enabled) return undefined;
    return {
      accountId: row.accountId,
      secretKey: this.sealer.open(row.secretSealed),
      services: new Map(row.services.map((service) => [service.id, service])),
    };
  }

  /** A Map keeps insertion order, and every look-up inserts anew: the first entry is the oldest. */
  #dropOldest(): void {
    if (this.#remembered.size <= MAX_KEYS) return;
    for (const key of this.#remembered.keys()) {
      this.#remembered.delete(key);
      return;
    }
  }
}
