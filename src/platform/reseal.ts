// One master key replacing another: what stands under a former one is sealed anew, a page at a time, and what still hangs
// on one is told, so that an operator knows when it may go. Holds no business words.
import type { Sql } from './database/database.js';
import { SealError, type SealedColumn, type Sealer } from './sealed.js';

const PAGE = 500;

/** Rows that are named where some hang on a former key. */
const NAMED = 5;

/**
 * Seals anew what the current key did not seal, in any number of processes at once. Returns how many; what does not open
 * is passed over. Each page is read by the key and written by one statement, under the locks of its rows.
 */
export async function reseal(sql: Sql, sealer: Sealer, columns: readonly SealedColumn[]): Promise<number> {
  let done = 0;
  for (const of of columns) {
    let after: readonly string[] | undefined;
    do {
      const page = await readPage(sql, sealer, of, after);
      done += await writePage(sql, sealer, of, page);
      after = page.length === PAGE ? page.at(-1)?.row : undefined;
    } while (after !== undefined);
  }
  return done;
}

interface SealedRow {
  readonly row: readonly string[];
  readonly sealed: string;
}

/** The next rows that another key than the current one sealed. */
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
  of: SealedColumn,
  page: readonly SealedRow[],
): Promise<number> {
  const { table, column, key } = of;
  const fresh = page.flatMap(({ row, sealed }) => {
    const text = sealAnew(sealer, sealed, of, row);
    return text === undefined ? [] : [{ row, sealed, text }];
  });
  if (fresh.length === 0) return 0;
  const arrays = ['former', 'fresh', ...key].map((_, index) => `$${index + 1}::text[]`);
  // The former text is compared: a key changed meanwhile keeps its change.
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

/** undefined: it does not open; formerKeys() tells what under a key that is not here. */
function sealAnew(
  sealer: Sealer,
  sealed: string,
  of: SealedColumn,
  row: readonly string[],
): string | undefined {
  try {
    return sealer.seal(sealer.open(sealed, of, ...row), of, ...row);
  } catch (error) {
    if (error instanceof SealError) return undefined;
    throw error;
  }
}

/** What hangs on a master key that is not the current one. */
export interface FormerKey {
  /** Whether this process holds it: then the rows open, and are sealed anew in time. */
  readonly isHeld: boolean;
  /** How many rows of what, and what to do. */
  readonly text: string;
}

/** Reads each column through; these are tables of keys. */
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
      found.push({ isHeld, text: `${count} of ${which} hang on the master key ${id}: ${what}` });
    }
  }
  return found;
}
