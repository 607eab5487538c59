// Many rows as the FROM of one statement, each column sent as small as its values allow: once where all are equal, and
// documents that repeat once each. Of a plan's thousand cells the database reads a third of the bytes.
import { columnText, textArray, type Column } from './column-text.js';

/** `from` is a subselect named u with these columns, over parameters numbered from $1, which are `parameters`. */
export interface RowsAsSource {
  readonly from: string;
  readonly names: string;
  readonly parameters: readonly unknown[];
}

/** Beyond so many different documents an element is found more slowly than it would have been read. */
const MOST_DOCUMENTS = 64;

/**
 * At least one row; the text varies with the values, so it is not to be prepared. Sets in the select list, for they are
 * read in step: `unnest(a, b, …)` in FROM writes every column to a store of its own first, half the cost of inserting
 * 1 200 cells. Throws a RangeError where a value holds a separator, unless its column is foreign.
 */
export function columnRows<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): RowsAsSource {
  const parameters: unknown[] = [];
  const next = (value: unknown): number => parameters.push(value);
  const sources = columns.map(({ name, type, of, foreign }, index) => {
    const values = rows.map(of);
    // The first makes the rows, so it is always a set.
    if (index > 0 && values.every((value) => value === values[0])) {
      return `$${next(values[0])}::${type} as ${name}`;
    }
    if (foreign === true) return `unnest($${next(values)}::${type}[]) as ${name}`;
    const documents = type === 'jsonb' ? repeated(values) : undefined;
    if (documents === undefined) return `unnest(${textArray(next(columnText(values)))})::${type} as ${name}`;
    const array = `${textArray(next(columnText(documents.different)))}::${type}[]`;
    return `(${array})[unnest(${textArray(next(columnText(documents.places)))})::int] as ${name}`;
  });
  return {
    from: `(select ${sources.join(', ')}) as u`,
    names: columns.map(({ name }) => name).join(', '),
    parameters,
  };
}

type Values = readonly (string | number | boolean | null)[];

/** The different values, and the place of each row's among them, from 1; undefined where they are too many. */
function repeated(values: Values): { different: Values; places: number[] } | undefined {
  const placeOf = new Map<Values[number], number>();
  const places: number[] = [];
  for (const value of values) {
    const place = placeOf.get(value) ?? placeOf.size + 1;
    if (place > MOST_DOCUMENTS) return undefined;
    placeOf.set(value, place);
    places.push(place);
  }
  return { different: [...placeOf.keys()], places };
}
