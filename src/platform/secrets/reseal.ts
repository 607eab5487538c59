// Replaces one master key by another. It seals texts under a former key anew, a page at a time. It counts the rows that still
// need a former key, so that an operator knows when that key may be removed. Holds no business words.
import type { Sql } from '../database/database.js';
import { SealError, type SealedColumn, type Sealer } from './sealed.js';

const PAGE = 500;

/** How many rows that need a former key are named. */
const NAMED = 5;

/**
 * Seals anew all texts that the current key did not seal. Any number of processes may do so at once. Returns how many. Skips
 * texts that do not open. It reads each page in order of the table's key, and writes it with one statement, which locks its rows.
 */
export async function reseal(sql: Sql, sealer: Sealer, columns: readonly SealedColumn[]): Promise<number> {
  let done = 0;
  for (const column of columns) {
    let after: readonly string[] | undefined;
    do {
      const page = await readPage(sql, sealer, column, after);
      done += await writePage(sql, sealer, column, page);
      after = page.length === PAGE ? page.at(-1)?.row : undefined;
    } while (after !== undefined);
  }
  return done;
}

interface SealedRow {
  readonly row: readonly string[];
  readonly sealed: string;
}

/** The next rows that were not sealed by the current key. */
async function readPage(
  sql: Sql,
  sealer: Sealer,
  { table, column, key }: SealedColumn,
  after: readonly string[] | undefined,
): Promise<SealedRow[]> {
  const names = key.join(', ');
  const place = key.map((_, index) => `$${index + 2}`).join(', ');
  return sql.query<SealedRow>(
    `select array[${names}] as row, ${column} as sealed from ${table}
      where ${column} is not null and not starts_with(${column}, $1)
        ${after === undefined ? '' : `and (${names}) > (${place})`}
      order by ${names} limit ${PAGE}`,
    [`${sealer.currentId}.`, ...(after ?? [])],
  );
}

async function writePage(
  sql: Sql,
  sealer: Sealer,
  place: SealedColumn,
  page: readonly SealedRow[],
): Promise<number> {
  const { table, column, key } = place;
  const fresh = page.flatMap(({ row, sealed }) => {
    try {
      return [{ row, sealed, text: sealer.seal(sealer.open(sealed, place, ...row), place, ...row) }];
    } catch (error) {
      // formerKeys() names those whose key this process lacks.
      if (error instanceof SealError) return [];
      throw error;
    }
  });
  if (fresh.length === 0) return 0;
  const arrays = ['former', 'fresh', ...key].map((_, index) => `$${index + 1}::text[]`);
  // Compares the former text, so that a secret that was changed meanwhile keeps its change.
  await sql.query(
    `update ${table} t set ${column} = n.fresh
       from unnest(${arrays.join(', ')}) as n(former, fresh, ${key.join(', ')})
      where ${key.map((name) => `t.${name} = n.${name}`).join(' and ')} and t.${column} = n.former`,
    [
      fresh.map(({ sealed }) => sealed),
      fresh.map(({ text }) => text),
      ...key.map((_, index) => fresh.map(({ row }) => row[index])),
    ],
  );
  return fresh.length;
}

/** Rows that need a master key other than the current one. */
export interface FormerKey {
  /** Whether this process has that key. Then the rows open, and will be sealed anew. */
  readonly isHeld: boolean;
  /** How many rows of which table, and what to do. */
  readonly text: string;
}

/** Reads each column as a whole, because tables of keys are small. */
export async function formerKeys(
  sql: Sql,
  sealer: Sealer,
  columns: readonly SealedColumn[],
): Promise<FormerKey[]> {
  const found: FormerKey[] = [];
  for (const { table, column, key } of columns) {
    const rows = await sql.query<{ id: string; count: number; some: string[] }>(
      `select split_part(${column}, '.', 1) as id, count(*)::int as count,
              (array_agg(concat_ws(' ', ${key.join(', ')}) order by ${key.join(', ')}))[1:${NAMED}] as some
         from ${table} where ${column} is not null and not starts_with(${column}, $1) group by 1 order by 1`,
      [`${sealer.currentId}.`],
    );
    for (const { id, count, some } of rows) {
      const isHeld = sealer.holds(id);
      const which = `${table} (${some.join(', ')}${count > some.length ? ', …' : ''})`;
      const what = isHeld
        ? 'keep it in CARILLON_MASTER_KEY until they are sealed anew'
        : 'it is not in CARILLON_MASTER_KEY: put it back behind the current one';
      found.push({ isHeld, text: `${count} of ${which} need the master key ${id}: ${what}` });
    }
  }
  return found;
}
