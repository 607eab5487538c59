// Makes the parameters of one statement from many rows: one array for each column. An array is the text in which PostgreSQL
// writes arrays, or has the binary form where that text would have to be escaped and read byte by byte. The driver's own
// conversion of arrays takes a third more processor time (500 rows of 14 columns: 1.4 ms, here 1.1).
import type { Sql } from './database.js';

/** With more different documents than this, it takes longer to find an element than to read it again. */
const MOST_DOCUMENTS = 64;
/** The characters that must be escaped in the text of an array. */
const MEANINGFUL = /[\\"]/;
/** The types whose values need no quotes in the text of an array. */
const PLAIN = new Set(['uuid', 'int', 'bigint', 'float8', 'boolean', 'timestamptz']);
/** The types in binary form: their OID, which is fixed in the catalogue, and the bytes before each value. */
const BINARY: Readonly<Record<string, { readonly oid: number; readonly head: Buffer }>> = {
  bytea: { oid: 17, head: Buffer.alloc(0) },
  // A version number.
  jsonb: { oid: 3802, head: Buffer.from([1]) },
};

/**
 * Columns, written as in a table: `id uuid, next_at timestamptz`. A row has a member for each column, named like the column or in
 * camelCase. An instant may be milliseconds or text; a document (jsonb) may be any value. Undefined counts as null.
 */
export interface Columns<Row> {
  /** `id, next_at` */
  readonly names: string;
  /** A subselect of the rows. Its text does not depend on the number of rows. */
  readonly from: string;
  readonly parametersOf: (rows: readonly Row[]) => (string | Buffer)[];
}

export function columnsOf<Row extends object>(definition: string): Columns<Row> {
  const columns = readColumns(definition);
  const sets = columns.map(({ name, type }, index) => `unnest($${index + 1}::${type}[]) as ${name}`);
  return {
    names: namesOf(columns),
    from: `(select ${sets.join(', ')})`,
    parametersOf: (rows) => columns.map((column) => arrayOf(valuesOf(column, rows), column.type)),
  };
}

/** Rows of a composite type in the database, as one argument of a function. */
export interface TypedRows<Row> {
  /** The statement that makes the type. */
  readonly createType: string;
  /** A call of the function with the rows and with `others` further parameters. */
  readonly callOf: (name: string, others?: number) => string;
  readonly parametersOf: Columns<Row>['parametersOf'];
}

/** `definition`: as for columnsOf(). */
export function typedRows<Row extends object>(type: string, definition: string): TypedRows<Row> {
  const columns = readColumns(definition);
  const { from, parametersOf } = columnsOf<Row>(definition);
  const rows = `array(select row(r.*)::${type} from ${from} as r)`;
  return {
    createType: `create type ${type} as (${columns.map((one) => `${one.name} ${one.type}`).join(', ')});`,
    callOf: (name, others = 0) => {
      const more = Array.from({ length: others }, (_, index) => `$${columns.length + index + 1}`);
      return `${name}(${[rows, ...more].join(', ')})`;
    },
    parametersOf,
  };
}

export interface ManyRows<Row> {
  readonly table: string;
  /** As in columnsOf(). Names and types come from the caller's code, never from data. */
  readonly columns: string;
  readonly rows: readonly Row[];
  /** Members that all rows share. Never that of the first column, because it makes the rows. */
  readonly same?: Readonly<Record<string, unknown>>;
  /** The text behind the SELECT: `on conflict …`, `returning …`. */
  readonly ending?: string;
  /** Further columns, as SQL over the given ones (aliased `r`): `{ shard: 'hashtext(r.key) & 15' }`. */
  readonly computed?: Readonly<Record<string, string>>;
}

/** Inserts in the order of `rows`, and returns what `ending` returns. Without rows it sends no statement. */
export async function insertRows<Row extends object, Returned = unknown>(
  sql: Sql,
  { table, columns, rows, same = {}, ending = '', computed = {} }: ManyRows<Row>,
): Promise<Returned[]> {
  if (rows.length === 0) return [];
  const { from, names, parameters } = packedRows(columns, rows, same);
  const into = [names, ...Object.keys(computed)].join(', ');
  const values = [names, ...Object.values(computed)].join(', ');
  const text = `insert into ${table} (${into}) select ${values} from ${from} as r ${ending}`;
  return sql.query<Returned>(text, parameters);
}

/**
 * A subselect of at least one row, with each column as small as its values allow: a single value where all are equal, and each
 * repeated document once. For the thousand cells of a plan the database reads a third of the bytes. The text depends on the
 * values, so it must not be prepared. The sets are in the select list, where they are read in step. `unnest(a, b, …)` in FROM
 * first writes every column to a store of its own: half the cost of inserting 1 200 cells.
 */
export function packedRows(
  definition: string,
  rows: readonly object[],
  same: Readonly<Record<string, unknown>> = {},
): { readonly from: string; readonly names: string; readonly parameters: readonly unknown[] } {
  const columns = readColumns(definition);
  const parameters: unknown[] = [];
  const next = (value: unknown): string => `$${parameters.push(value)}`;
  const sources = columns.map((column, index) => {
    const { name, type } = column;
    const shared = memberOf(column, same);
    if (shared !== undefined) return `${next(valueOf(same[shared], type))}::${type} as ${name}`;
    const values = valuesOf(column, rows);
    // The first column makes the rows, so it is always a set.
    if (index > 0 && values.every((value) => value === values[0]))
      return `${next(values[0])}::${type} as ${name}`;
    const documents = type === 'jsonb' ? repeated(values.map(textIn)) : undefined;
    if (documents !== undefined) {
      const different = `${next(arrayText(documents.different, type))}::${type}[]`;
      return `(${different})[unnest(${next(arrayText(documents.places, 'int'))}::int[])] as ${name}`;
    }
    // An array of arrays would have to be rectangular, so it is sent as an array of their texts.
    const items = type.endsWith('[]') ? 'text' : type;
    return `unnest(${next(arrayOf(values, type))}::${items}[])::${type} as ${name}`;
  });
  return { from: `(select ${sources.join(', ')})`, names: namesOf(columns), parameters };
}

/** A parameter of the array's type. */
function arrayOf(values: readonly Value[], type: string): string | Buffer {
  const binary = BINARY[type];
  return binary === undefined ? arrayText(values.map(textIn), type) : binaryArray(values, binary);
}

/**
 * As array_send of PostgreSQL (arrayfuncs.c): dimensions, whether there are nulls, the type, and then each value with its length.
 */
function binaryArray(
  values: readonly Value[],
  { oid, head }: { readonly oid: number; readonly head: Buffer },
): Buffer {
  const sizes = values.map((value) => (value === null ? -1 : head.length + Buffer.byteLength(value)));
  const bytes = Buffer.allocUnsafe(20 + sizes.reduce((sum, size) => sum + 4 + Math.max(0, size), 0));
  let at = 0;
  const int = (value: number): void => void (at = bytes.writeInt32BE(value, at));
  for (const field of [values.length === 0 ? 0 : 1, sizes.includes(-1) ? 1 : 0, oid]) int(field);
  if (values.length === 0) return bytes.subarray(0, at);
  for (const field of [values.length, 1]) int(field);
  for (const [index, value] of values.entries()) {
    int(sizes[index] ?? -1);
    if (value === null) continue;
    at += head.copy(bytes, at);
    at += typeof value === 'string' ? bytes.write(value, at) : value.copy(bytes, at);
  }
  return bytes;
}

/** An array as text, as PostgreSQL writes it. */
export function arrayText(values: readonly (string | null)[], type = 'text'): string {
  const items = PLAIN.has(type) ? values.map((value) => value ?? 'NULL') : values.map(quoted);
  return `{${items.join(',')}}`;
}

function quoted(value: string | null): string {
  if (value === null) return 'NULL';
  return MEANINGFUL.test(value) ? `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"` : `"${value}"`;
}

/** Bytes, or text that PostgreSQL reads as the type. */
type Value = string | Buffer | null;

function textIn(value: Value): string | null {
  return typeof value === 'object' && value !== null ? `\\x${value.toString('hex')}` : value;
}

interface Column {
  readonly name: string;
  readonly type: string;
}

function readColumns(definition: string): Column[] {
  return definition.split(',').map((column) => {
    const [name = '', type = ''] = column.trim().split(/\s+/);
    return { name: `"${name}"`, type };
  });
}

function namesOf(columns: readonly Column[]): string {
  return columns.map(({ name }) => name).join(', ');
}

/** The name of the row's member: the column's name, or that name in camelCase. */
function memberOf({ name }: Pick<Column, 'name'>, row: object): string | undefined {
  const bare = name.slice(1, -1);
  if (bare in row) return bare;
  const camelCase = bare.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return camelCase in row ? camelCase : undefined;
}

/** Throws a RangeError where the first row has no such member. */
function valuesOf({ name, type }: Column, rows: readonly object[]): Value[] {
  const [first] = rows;
  if (first === undefined) return [];
  const member = memberOf({ name }, first);
  if (member === undefined) throw new RangeError(`a row has no ${name}`);
  // Most rows repeat the value of the row before.
  let last: unknown;
  let text: Value = null;
  return rows.map((row) => {
    const value = (row as Readonly<Record<string, unknown>>)[member];
    if (value !== last) text = valueOf(value, type);
    last = value;
    return text;
  });
}

function valueOf(value: unknown, type: string): Value {
  if (value === null || value === undefined) return null;
  if (type === 'jsonb') return JSON.stringify(value);
  if (type === 'timestamptz' && typeof value !== 'string')
    return new Date(value as number | Date).toISOString();
  if (Array.isArray(value)) return arrayText(value);
  return Buffer.isBuffer(value) ? value : `${value as string | number | boolean}`;
}

/** The different values, and for each row the place of its value among them, from 1; undefined where there are too many. */
function repeated(
  values: readonly (string | null)[],
): { different: (string | null)[]; places: string[] } | undefined {
  const placeOf = new Map<string | null, number>();
  const places: string[] = [];
  for (const value of values) {
    const place = placeOf.get(value) ?? placeOf.size + 1;
    if (place > MOST_DOCUMENTS) return undefined;
    placeOf.set(value, place);
    places.push(String(place));
  }
  return { different: [...placeOf.keys()], places };
}
