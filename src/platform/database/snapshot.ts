// Reading several statements of one moment, so that the figures of an answer belong together.
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Database, Sql } from './database.js';

// Days that a statement does not name are left out when it is planned: what locks no row meets none of what pruning is off
// for elsewhere (pooled-database.ts).
const READING = `
begin isolation level repeatable read, read only;
set local enable_partition_pruning = on`;

/** Runs `work` in a read-only transaction that sees one moment, whatever others commit meanwhile. */
export async function inSnapshot<Result>(
  database: Pick<Database, 'transaction'>,
  work: (sql: Sql) => Promise<Result>,
): Promise<Result> {
  return database.transaction(work, READING);
}

export interface StreamLimits {
  /** A reader that takes nothing for so long is cut off [30 000 ms]. */
  readonly stallMs: number;
  /** The moment is held no longer, for nothing dead is removed meanwhile [600 000 ms; decisions/0034]. */
  readonly wholeMs: number;
}
const STREAM_LIMITS: StreamLimits = { stallMs: 30_000, wholeMs: 600_000 };

/**
 * The same for what is too large to be held: gives what `parts` makes as its reader takes it. Fails as `parts` does before
 * its first part; a reader is cut off by what fails later, for it cannot be told otherwise that this is not all.
 */
export async function streamInSnapshot(
  database: Pick<Database, 'transaction'>,
  parts: (sql: Sql) => AsyncIterable<string>,
  limits: StreamLimits = STREAM_LIMITS,
): Promise<Readable> {
  const out = new PassThrough();
  const written = inSnapshot(database, async (sql) => {
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const whole = setTimeout(end, limits.wholeMs);
    try {
      await pipeline(unlessStalled(parts(sql), end, limits.stallMs), out, { signal: ending.signal });
    } finally {
      clearTimeout(whole);
    }
  });
  // What ended it is told by the transaction: its database may have words of its own for it.
  await Promise.race([once(out, 'readable').catch(() => written), written]);
  // What ends it from here on has ended `out`.
  written.catch(() => undefined);
  return out;
}

async function* unlessStalled(
  parts: AsyncIterable<string>,
  end: () => void,
  stallMs: number,
): AsyncGenerator<string> {
  for await (const part of parts) {
    const stalled = setTimeout(end, stallMs);
    try {
      yield part;
    } finally {
      clearTimeout(stalled);
    }
  }
}
