// The ledger's cells and sends in pages, by the key of their cell. Each statement is short, however many cells there are, so that a
// report can rest in between (report-database.ts). Over a million cells at once, each check of the sends took 12 s and sorted on disk,
// and sends that were due meanwhile left half a minute late (bench/load).
import type { Sql } from '../../../platform/database/database.js';
import { parametersOf, type LedgerFilter } from './ledger-filter.js';

/** The most cells or sends of a page, except that all sends of one cell are in the same page. */
const MOST = 5_000;

interface CellKey {
  readonly campaign: string;
  readonly occurrence: string;
  readonly cell: string;
}

/** From `low` up to, but without, `high`. */
export interface CellPage {
  readonly low: CellKey;
  readonly high: CellKey;
}

const KEY = ['campaign', 'occurrence', 'cell'] as const satisfies (keyof CellKey)[];

/** A condition on `row`, of a table with a cell's key: it is in the page of $2 to $7. */
export function inPage(row: string): string {
  const key = KEY.map((column) => `${row}.${column}`).join(', ');
  return `(${key}) >= ($2::uuid, $3::text, $4::text) and (${key}) < ($5::uuid, $6::text, $7::text)`;
}

/** $1 to $7 of a statement over a page; $1 as in all statements of the ledger (`ofService`). */
export function parametersIn(page: CellPage, { serviceIds }: LedgerFilter): unknown[] {
  return [serviceIds, ...valuesOf(page.low), ...valuesOf(page.high)];
}

const WINDOW = `
select coalesce(uuid_floor(to_timestamp($1::float8 / 1000)), '00000000-0000-0000-0000-000000000000') as low,
       coalesce(uuid_floor(to_timestamp($2::float8 / 1000)), 'ffffffff-ffff-ffff-ffff-ffffffffffff') as high`;

const keyAfter = (table: 'cell' | 'send'): string => `
(select ${KEY.join(', ')} from ${table}
  where (${KEY.join(', ')}) > ($1::uuid, $2::text, $3::text) and campaign < $4::uuid
  order by ${KEY.join(', ')} offset $5 limit 1)`;
/** The end of the page that begins with the key of $1 to $3; no row if it is the last page before $4. */
const END = `
select * from (${keyAfter('cell')} union all ${keyAfter('send')}) found order by ${KEY.join(', ')} limit 1`;

/** All pages of the filter's window, in order; together they leave out no key. */
export async function* pagesOf(
  sql: Sql,
  filter: LedgerFilter,
  most = MOST,
): AsyncGenerator<CellPage, void, void> {
  const [, from, to] = parametersOf(filter);
  const [window] = await sql.query<{ low: string; high: string }>(WINDOW, [from, to]);
  if (window === undefined) throw new Error('the window of a ledger has no row');
  let low: CellKey = { campaign: window.low, occurrence: '', cell: '' };
  for (;;) {
    const [end] = await sql.query<CellKey>(END, [...valuesOf(low), window.high, most]);
    const high = end ?? { campaign: window.high, occurrence: '', cell: '' };
    yield { low, high };
    if (end === undefined) return;
    low = end;
  }
}

function valuesOf(key: CellKey): string[] {
  return KEY.map((column) => key[column]);
}
