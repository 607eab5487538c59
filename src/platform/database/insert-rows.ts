// Many rows in one INSERT, whatever their number: one array parameter a column. Names and types come from the caller's
// code, never from data.
import { rowsOf, type Sql } from './database.js';

export interface ManyRows<Row> {
  readonly table: string;
  /** Column → its PostgreSQL type (no array types); in jsonb columns values are written as JSON. */
  readonly columns: Readonly<Record<keyof Row & string, string>>;
  readonly rows: readonly Row[];
  /** What follows the SELECT: `on conflict …`, `returning …`. */
  readonly ending?: string;
  /** Further columns as SQL over the given ones (aliased `r`): `{ shard: 'hashtext(r.key) & 15' }`. */
  readonly computed?: Readonly<Record<string, string>>;
}

/** Inserts in the order of `rows` and returns what `ending` returns; nothing is asked for no rows. */
export async function insertRows<Row, Returned = unknown>(
  sql: Sql,
  { table, columns, rows, ending = '', computed = {} }: ManyRows<Row>,
): Promise<Returned[]> {
  if (rows.length === 0) return [];
  const names = Object.keys(columns) as (keyof Row & string)[];
  const quoted = names.map((name) => `"${name}"`);
  const extra = Object.entries(computed);
  const text = `
insert into ${table} (${[...quoted, ...extra.map(([name]) => name)].join(', ')})
select ${[...quoted.map((name) => `r.${name}`), ...extra.map(([, expression]) => expression)].join(', ')}
  from unnest(${names.map((name, index) => `$${index + 1}::${columns[name]}[]`).join(', ')})
       with ordinality as r (${quoted.join(', ')}, ordinality)
 order by r.ordinality ${ending}`;
  const parameters = names.map((name) =>
    rows.map((row) => (columns[name] === 'jsonb' ? jsonOf(row[name]) : row[name])),
  );
  return rowsOf<Returned>(sql, text, parameters);
}

function jsonOf(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}
