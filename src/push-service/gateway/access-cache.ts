// push-interface.md §5: what the gateway knows about access keys, remembered for a few seconds. However many requests come, there
// is one look-up for each key and period. Unknown keys are remembered too. Look-ups of many keys share a statement, so that
// callers with unknown keys take two connections at most.
import { findAccess, SECRET, type AccessRow, type ServiceFacts } from './access.store.js';
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { GroupedStatement } from '../../platform/database/grouped-statement.js';
import type { Sealer } from '../../platform/secrets/sealed.js';
import { TimedCache } from '../../platform/timed-cache.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { requireTable } from '../wall-clock.js';

export interface Access {
  readonly secretKey: string;
  readonly services: ReadonlyMap<string, ServiceFacts>;
}

const MAX_KEYS = 10_000;

/** How many statements run at once, the keys of each, and the keys that may wait. Requests beyond that are refused (503). */
const WORKERS = 2;
const GROUP_KEYS = 500;
const WAITING_KEYS = 10_000;

/** The longest time that a statement may take, real milliseconds. */
const LOOK_UP_WITHIN_MS = 30_000;

export interface AccessCacheDeps {
  readonly sql: Sql;
  readonly sealer: Sealer;
  readonly rules: ZoneRules;
  readonly clock: Clock;
  /** For how long a key is remembered, real milliseconds; 0: it is looked up every time. */
  readonly periodMs: number;
}

export class AccessCache {
  readonly #remembered: TimedCache<Access | undefined>;
  readonly #lookUps: GroupedStatement<string, AccessRow | undefined>;

  constructor(private readonly deps: AccessCacheDeps) {
    this.#remembered = new TimedCache({ ttlMs: deps.periodMs, max: MAX_KEYS, clock: deps.clock });
    this.#lookUps = new GroupedStatement({
      run: (accessKeys) => findAccess(deps.sql, accessKeys),
      workers: WORKERS,
      groupWeight: GROUP_KEYS,
      waitingWeight: WAITING_KEYS,
    });
  }

  /** The rights of an enabled key; undefined for a key that is unknown or disabled. Concurrent calls share a look-up. */
  get(accessKey: string): Promise<Access | undefined> {
    return this.#remembered.get(accessKey, () => this.#lookUp(accessKey));
  }

  /** Forgets everything. Call it after a change of keys or services. */
  clear(): void {
    this.#remembered.clear();
  }

  async #lookUp(accessKey: string): Promise<Access | undefined> {
    const row = await this.#lookUps.ask(accessKey, LOOK_UP_WITHIN_MS);
    if (row === undefined || !row.enabled) return undefined;
    const { sealer, rules } = this.deps;
    return {
      secretKey: sealer.open(row.secretSealed, SECRET, accessKey),
      services: new Map(
        row.services.map(({ zone, ...facts }) => [
          facts.id,
          { ...facts, offsets: requireTable(rules, zone) },
        ]),
      ),
    };
  }
}
