// Sends on their way into the database: a large campaign's are made one by one and written some thousand at a time.
import type { Sql } from '../../platform/database/database.js';
import { insertSends, type SendRow } from '../store/send/planned-rows.store.js';

/** Sends, or ids in them, held before they are written. */
const FLUSH_SENDS = 2_000;
const FLUSH_IDS = 50_000;

/** Holds sends until there are enough for one statement: memory is bounded by the flush limits and one request. */
export class SendBuffer {
  #rows: SendRow[] = [];
  #ids = 0;

  constructor(
    private readonly sql: Sql,
    private readonly now: number,
    private readonly by: string,
  ) {}

  async add(row: SendRow): Promise<void> {
    this.#rows.push(row);
    this.#ids += row.recipients?.length ?? 0;
    if (this.#rows.length >= FLUSH_SENDS || this.#ids >= FLUSH_IDS) await this.flush();
  }

  async flush(): Promise<void> {
    const rows = this.#rows;
    this.#rows = [];
    this.#ids = 0;
    await insertSends(this.sql, rows, this.now, this.by);
  }
}
