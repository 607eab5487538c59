// Reads the log of outcomes for one consumer: takes the shards that no other process reads for it, lets it deal with a page, and moves
// the cursors behind what was read, in one transaction. So a page is dealt with again where the process ends before that, and no
// cursor ever moves past an outcome that was not dealt with (docs/decisions/0030).
import type { Sql } from '../../../platform/database/database.js';
import type { Finding } from '../../../platform/http/health.js';
import { holdShards, SHARDS } from '../../store/hold-shards.js';
import type { Consumer } from './consumers.js';
import { moveCursor, readShards, type CursorRow } from './outcome-cursor.js';

/** A page of read_log(). */
export interface LogAsk {
  /** Where the page is full, the last ones come short. Held by the caller's transaction, which has written nothing. */
  readonly shards: readonly number[];
  readonly rowsOfShard: number;
  /** A shard without outcomes is a row as well. */
  readonly rows: number;
  /** With more ranges in its cursor, a shard reads nothing above its top, only what fills its holes. */
  readonly ranges: number;
}

export interface TakenPage {
  /** As read_log() gave them. */
  readonly rows: readonly CursorRow[];
  /** There was no room for all that was asked for. */
  readonly isCut: boolean;
  /** How much was dealt with. */
  readonly done: number;
}

export interface LogConsumer {
  readonly name: Consumer;
  /** Reads a page with its first statement, and deals with it. */
  take(sql: Sql, ask: LogAsk): Promise<TakenPage>;
}

export interface LogReaderDeps {
  /** A transaction of its own. */
  readonly inTransaction: <Result>(work: (sql: Sql) => Promise<Result>) => Promise<Result>;
  /** Outcomes of one page [1 000]. */
  readonly rows?: number;
  /** With more ranges in its cursor a shard waits at its lowest hole [1 000]. */
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

  /** Deals with one page. Returns how much that was. */
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

  /** Page after page, until none is cut short. */
  async runAll(signal: AbortSignal): Promise<number> {
    let done = await this.runOnce();
    while (this.#more && !signal.aborted) done += await this.runOnce();
    return done;
  }

  /** Begins with another shard in each round, so that all have their turn although pages are full. */
  #inTurn(shards: readonly number[]): number[] {
    const first = shards.length === 0 ? 0 : this.#round % shards.length;
    return [...shards.slice(first), ...shards.slice(0, first)];
  }
}
