// Several statements that read the same moment, so that the figures of an answer belong together.
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Database, Sql } from './database.js';

// With pruning on, days that a statement does not name are left out when it is planned. Statements that lock no row are safe
// from the fault for which pruning is off elsewhere (pooled-database.ts).
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

/** Real milliseconds. */
const STREAM_LIMITS = {
  /** A reader that takes nothing for so long is cut off. */
  stallMs: 30_000,
  /** The snapshot is held no longer, as vacuum removes no dead row meanwhile (docs/decisions/0034). */
  wholeMs: 600_000,
};

/**
 * The same for results that are too large for memory: yields what `parts` makes as fast as its reader takes it. Rejects where
 * `parts` fails before its first part; a later failure cuts the reader off, which cannot be told otherwise that parts are missing.
 */
export async function streamInSnapshot(
  database: Pick<Database, 'transaction'>,
  parts: (sql: Sql) => AsyncIterable<string>,
  limits = STREAM_LIMITS,
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
  // The transaction's own error is thrown: it may say more about what happened.
  await Promise.race([once(out, 'readable').catch(() => written), written]);
  // From here on, a failure ends `out`.
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
