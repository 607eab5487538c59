// Lets several statements read the same moment, so that the figures of an answer belong together.
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Database, Sql } from './database.js';

// With pruning on, the planner leaves out days that a statement does not name. The fault for which pruning is off elsewhere
// (pooled-database.ts) does not affect statements that lock no row.
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
  /** A reader who takes nothing for so long is cut off. */
  stallMs: 30_000,
  /** How long the snapshot may last: vacuum removes no dead row meanwhile (docs/decisions/0034). */
  wholeMs: 600_000,
};

/**
 * As inSnapshot(), for results that are too large for memory: streams what `pages` yields as fast as the reader takes it. Rejects
 * where `pages` fails before its first page. A later failure cuts the reader off: nothing else can show the reader that pages are
 * missing.
 */
export async function streamInSnapshot(
  database: Pick<Database, 'transaction'>,
  pages: (sql: Sql) => AsyncIterable<string>,
  limits = STREAM_LIMITS,
): Promise<Readable> {
  const out = new PassThrough();
  const written = inSnapshot(database, async (sql) => {
    const ending = new AbortController();
    const end = (): void => ending.abort();
    const whole = setTimeout(end, limits.wholeMs);
    try {
      await pipeline(unlessStalled(pages(sql), end, limits.stallMs), out, { signal: ending.signal });
    } finally {
      clearTimeout(whole);
    }
  });
  // Throws the transaction's own error, because it may say more about what happened.
  await Promise.race([once(out, 'readable').catch(() => written), written]);
  // From here on, a failure ends `out`.
  written.catch(() => undefined);
  return out;
}

async function* unlessStalled(
  pages: AsyncIterable<string>,
  end: () => void,
  stallMs: number,
): AsyncGenerator<string> {
  for await (const page of pages) {
    const stalled = setTimeout(end, stallMs);
    try {
      yield page;
    } finally {
      clearTimeout(stalled);
    }
  }
}
