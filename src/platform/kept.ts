// What ends the rows of each table. A service lists all of its tables so (store/kept.ts, retention/kept.ts): docs/operate/retention.md
// is written from the lists, and what goes by its age alone is deleted by them.
import type { Sql } from './database/database.js';

/** By tables, spaces between: until when, or how many at most. */
export type KeptTables = Readonly<Record<string, string | KeptFor>>;

export interface KeptFor {
  /** Days, or the setting that has the length. */
  readonly length: number | string;
  /** What else has to be, as it is put behind the length. */
  readonly also?: string;
  /** The column by whose age alone the rows go. */
  readonly by?: string;
}

/** What lengths that are settings come to, milliseconds. */
type Settings = Readonly<Record<string, number>>;

const DAY_MS = 86_400_000;

/** From when on rows of that table are kept. Throws where the list has no length for it. */
export function keptSince(list: KeptTables, table: string, now: number, settings: Settings = {}): Date {
  const kept = Object.entries(list).find(([tables]) => tables.split(' ').includes(table))?.[1];
  const length = typeof kept === 'object' ? kept.length : undefined;
  const ms = typeof length === 'string' ? settings[length] : length && length * DAY_MS;
  if (ms === undefined) throw new Error(`no length says how long ${table} is kept`);
  return new Date(now - ms);
}

/**
 * Deletes at most `batch` rows of each table that go by their age alone, once they are older; returns how many. SKIP LOCKED lets two
 * processes share the work. Tables that grow have an index on the column; the others are small and scanned.
 */
export async function deleteAged(
  sql: Sql,
  list: KeptTables,
  { now, settings, batch }: { readonly now: number; readonly settings: Settings; readonly batch: number },
): Promise<number> {
  const aged = Object.entries(list).flatMap(([tables, kept]) =>
    typeof kept === 'string' || kept.by === undefined
      ? []
      : tables.split(' ').map((table) => [table, kept.by, keptSince(list, table, now, settings)] as const),
  );
  const parts = aged.map(
    ([table, by], at) => `old_${table} as (
       delete from ${table} where ctid = any (array(
         select ctid from ${table} where ${by} < $${at + 2} order by ${by} limit $1 for update skip locked)) returning 1)`,
  );
  const counts = aged.map(([table]) => `(select count(*) from old_${table})`);
  const [gone] = await sql.query<{ count: number }>(
    `with ${parts.join(', ')} select (${counts.join(' + ')})::integer as count`,
    [batch, ...aged.map(([, , since]) => since)],
  );
  return gone?.count ?? 0;
}
