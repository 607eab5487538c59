// Events of sends → the sums that reports are read from (docs/decisions/0054): holds the shards that no other process rolls up and
// adds a page of what their sends came to. A page is one transaction, so that it is added once, whichever process dies.
import type { Sql } from '../../../platform/database/database.js';
import type { Finding } from '../../../platform/http/health.js';
import { holdShards } from '../../store/hold-shards.js';
import { rollUpPage } from '../../store/rollup/roll-up.store.js';

export interface RollUpParts {
  /** A transaction of its own. */
  readonly inTransaction: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;
  /** Events of one page [2 000]. */
  readonly rows?: number;
  /** With more ranges in its cursor a shard waits at its lowest hole [1 000]. */
  readonly ranges?: number;
  /** The breakdown of a send with at least this many devices is asked for [100]. */
  readonly breakdownFrom?: number;
}

export class RollUp {
  #more = false;
  #waiting: readonly number[] = [];

  constructor(private readonly parts: RollUpParts) {}

  /** Whether the last page was cut short. */
  get hasMore(): boolean {
    return this.#more;
  }

  finding(): Finding {
    if (this.#waiting.length === 0) return undefined;
    return `the rollups of shards ${this.#waiting.join(', ')} wait for a transaction that does not end (pg_stat_activity)`;
  }

  /** Rolls up one page; returns how many events. */
  async runOnce(): Promise<number> {
    const { inTransaction, rows = 2_000, ranges = 1_000, breakdownFrom = 100 } = this.parts;
    const page = await inTransaction(async (sql) => {
      const shards = await holdShards(sql, 'rollup');
      return shards.length === 0 ? undefined : rollUpPage(sql, { shards, rows, ranges, breakdownFrom });
    });
    this.#more = page?.more ?? false;
    this.#waiting = page?.waiting ?? [];
    return page?.events ?? 0;
  }
}
