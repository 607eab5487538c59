// Columns of many rows as parameters: one text each, split by the database. The driver escapes an array element by
// element, which for a thousand rows costs it more than the insert costs the database; joining costs next to nothing.

/** ASCII's unit separator and substitute: no name, id, number or JSON document of ours holds either. */
const SEPARATOR = '\u001F';
const NULL = '\u001A';

/** A column of the rows; `type` is PostgreSQL's. */
export interface Column<Row> {
  readonly name: string;
  readonly type: 'uuid' | 'text' | 'int' | 'float8' | 'jsonb' | 'timestamptz' | 'boolean' | 'bytea';
  readonly of: (row: Row) => string | number | boolean | null;
  /** Its text is a stranger's, and may hold anything: it travels as the driver sends arrays. */
  readonly foreign?: true;
}

/** The columns as SQL arrays, in their order, over parameters numbered from $1. At least one row. */
export interface ColumnArrays {
  readonly arrays: readonly string[];
  readonly parameters: readonly unknown[];
}

/** Throws a RangeError where a value holds a separator: a bug, for such text has to travel another way. */
export function arraysOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): ColumnArrays {
  return {
    arrays: columns.map(({ type, foreign }, index) =>
      foreign === true ? `$${index + 1}::${type}[]` : `${textArray(index + 1)}::${type}[]`,
    ),
    parameters: columns.map(({ of, foreign }) =>
      foreign === true ? rows.map(of) : columnText(rows.map(of)),
    ),
  };
}

/** What columnText() joined, as SQL: a text[] over the parameter of this number. */
export function textArray(parameter: number): string {
  return `string_to_array($${parameter}, E'\\x1f', E'\\x1a')`;
}

/** Throws a RangeError where a value holds a separator. */
export function columnText(values: readonly (string | number | boolean | null)[]): string {
  const text = values.map((value) => value ?? NULL).join(SEPARATOR);
  let separators = 0;
  for (let at = text.indexOf(SEPARATOR); at >= 0; at = text.indexOf(SEPARATOR, at + 1)) separators += 1;
  if (separators !== values.length - 1) throw new RangeError('a value of a column holds a separator');
  return text;
}

/**
 * The columns as a subselect of their rows, over parameters numbered from $1, each what columnText() makes of a column:
 * the same text for any number of rows, at least one. None of the columns may be foreign.
 */
export function columnSets(columns: readonly Omit<Column<never>, 'of'>[]): string {
  const sets = columns.map(
    ({ name, type }, index) => `unnest(${textArray(index + 1)}::${type}[]) AS ${name}`,
  );
  return `(select ${sets.join(', ')})`;
}
