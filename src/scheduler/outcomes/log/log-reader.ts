// Reads the log of outcomes for one consumer. In one transaction it locks the shards that no other process reads for that consumer, has
// the consumer work on a page, and moves the cursors. So if the process ends before the commit, the page is worked on again, and no
// cursor ever moves past an outcome that was not worked on (docs/decisions/0030).
import type { Sql } from '../../../platform/database/database.js';
import type { Finding } from '../../../platform/http/health.js';
import { holdShards, SHARDS } from '../../store/hold-shards.js';
import type { Consumer } from './consumers.js';
import { moveCursor, readShards, type CursorRow } from './outcome-cursor.js';

/** A page of read_log(). */
export interface LogAsk {
  /** In order: when the page is full, the last shards get no rows. The caller's transaction has locked them and written nothing. */
  readonly shards: readonly number[];
  readonly rowsOfShard: number;
  /** The most rows; a shard without outcomes has one as well. */
  readonly rows: number;
  /** With more ranges in its cursor, outcomes above a shard's top are not read, only those in its holes. */
  readonly ranges: number;
}

export interface TakenPage {
  /** As read_log() gave them. */
  readonly rows: readonly CursorRow[];
  /** There was no room for all rows. */
  readonly isCut: boolean;
  /** How many outcomes were worked on. */
  readonly done: number;
}

export interface LogConsumer {
  readonly name: Consumer;
  /** Reads a page with its first statement, and works on it. */
  take(sql: Sql, ask: LogAsk): Promise<TakenPage>;
}

export interface LogReaderDeps {
  /** A transaction of its own. */
  readonly inTransaction: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;
  /** Outcomes of one page [1 000]. */
  readonly rows?: number;
  /** With more ranges in its cursor a shard waits for the transaction of its lowest hole [1 000]. */
  readonly ranges?: number;
}

export class LogReader {
  #round = 0;
  /** How many shards had outcomes lately: they share the rows of a page. */
  #busy = SHARDS;
  /** Whether the last page was cut short. */
  #more = false;
  #waiting: readonly number[] = [];

  constructor(
    private readonly consumer: LogConsumer,
    private readonly deps: LogReaderDeps,
  ) {}

  finding(): Finding {
    if (this.#waiting.length === 0) return undefined;
    return `outcomes of shards ${this.#waiting.join(', ')} wait for a transaction that does not end (pg_stat_activity)`;
  }

  /** Works on one page. Returns how many outcomes. */
  async runOnce(): Promise<number> {
    const { inTransaction, rows = 1_000, ranges = 1_000 } = this.deps;
    this.#round += 1;
    return inTransaction(async (sql) => {
      const shards = this.#inTurn(await holdShards(sql, this.consumer.name));
      const rowsOfShard = Math.ceil(rows / Math.max(1, this.#busy));
      const ask = { shards, rowsOfShard, rows: rows + shards.length, ranges };
      const page = await this.consumer.take(sql, ask);
      const isCut = page.isCut || page.rows.length === ask.rows;
      const { done, ...read } = readShards(page.rows, { rowsOfShard, isCut });
      await moveCursor(sql, this.consumer.name, done);
      this.#busy = read.busy;
      this.#more = read.more || page.isCut;
      this.#waiting = read.waiting;
      return page.done;
    });
  }

  /** Works on page after page until one has all rows. */
  async runAll(signal: AbortSignal): Promise<number> {
    let done = await this.runOnce();
    while (this.#more && !signal.aborted) done += await this.runOnce();
    return done;
  }

  /** Begins with another shard in each round, so that all have their turn even if pages are full. */
  #inTurn(shards: readonly number[]): number[] {
    const first = shards.length === 0 ? 0 : this.#round % shards.length;
    return [...shards.slice(first), ...shards.slice(0, first)];
  }
}
