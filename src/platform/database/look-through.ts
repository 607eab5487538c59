// Pages of lists whose filters no index serves: a page looks at so many rows in order of id and no more, and says where it
// stopped, so that no request reads a table to its end for the few rows that a filter names.
import type { Sql } from './database.js';

/** Counted exactly up to here. */
const MOST_COUNTED = 10_000;
/** Rows that one page looks at. Some 40 ms of PostgreSQL 18 for rows of send whose cells are looked at. */
export const MOST_LOOKED_AT = 10_500;

/** Which rows, and in which order. */
export interface Look {
  /** A query whose rows have an `id`, without order and limit: read in order of id by an index, or few. */
  readonly rows: string;
  /** A join that gives each row `s` what `match` asks for beside it. */
  readonly beside?: string;
  /** Of a row `s`. */
  readonly match: string;
  readonly newest: boolean;
  /** `$1`, … of `rows`, and behind them those of `match` alone. */
  readonly parameters: Parameters;
}

/** Parameters of a statement, as its text is put together. */
export class Parameters {
  readonly all: unknown[] = [];
  /** How many of them the rows take. */
  ofRows = 0;

  /** Its place in the text, as `type`. */
  add(value: unknown, type: string): string {
    this.all.push(value);
    return `$${this.all.length}::${type}`;
  }

  /** Adds to the conditions what `text` says of a value, whose place is its `?`; nothing where there is none. */
  restrict(conditions: string[], value: unknown, type: string, text: string): void {
    if (value === undefined || value === null) return;
    const place = this.add(value, type);
    conditions.push(text.replaceAll('?', () => place));
  }
}

/** Of the rows looked at, the first that match. */
export interface Looked {
  /** At most as many as were asked for, in order. */
  readonly ids: readonly string[];
  /** The last row that was looked at, where there may be more behind it. */
  readonly stoppedAt: string | undefined;
}

/** `atLeast`: there may be more. */
export interface Counted {
  readonly value: number;
  readonly atLeast: boolean;
}

const directionOf = ({ newest }: Look): string => (newest ? 'desc' : 'asc');

/** The rows looked at, as `s`, with what is joined to them: what follows a FROM. */
export const lookedAt = ({ beside = '', ...look }: Look): string => `${theLookedAt(look)} s ${beside}`;

const theLookedAt = (look: Look): string =>
  `(select * from (${look.rows}) r order by r.id ${directionOf(look)} limit ${MOST_LOOKED_AT})`;

/** The first `limit` that match; stops as soon as it has them. */
export async function lookThrough(sql: Sql, look: Look, limit: number): Promise<Looked> {
  const rows = await sql.query<{ id: string }>(
    `select s.id from ${lookedAt(look)} where ${look.match} order by s.id ${directionOf(look)} limit ${limit}`,
    look.parameters.all,
  );
  return {
    ids: rows.map(({ id }) => id),
    stoppedAt: rows.length < limit ? await stopOf(sql, look) : undefined,
  };
}

/** The last of the rows looked at, where they were as many as a page looks at. */
async function stopOf(sql: Sql, look: Look): Promise<string | undefined> {
  const [last] = await sql.query<{ id: string }>(
    `select l.id from ${theLookedAt(look)} l order by l.id ${directionOf(look)} offset ${MOST_LOOKED_AT - 1}`,
    look.parameters.all.slice(0, look.parameters.ofRows),
  );
  return last?.id;
}

/** And how many match. */
export interface Surveyed extends Looked {
  /** Exact up to 10 000 where no more rows than a page looks at had to be looked at. */
  readonly count: Counted;
}

/** The same with their count, in one statement: of a table of many days planning costs more than reading. */
export async function survey(sql: Sql, look: Look, limit: number): Promise<Surveyed> {
  const inOrder = `order by s.id ${directionOf(look)}`;
  const [found] = await sql.query<{ ids: string[] | null; matching: number; last: string | null }>(
    `select (array_agg(s.id ${inOrder}) filter (where s.matches))[1:${limit}] as ids,
            count(*) filter (where s.matches)::int as matching, (array_agg(s.id ${inOrder}))[${MOST_LOOKED_AT}] as last
       from (select s.id, ${look.match} as matches from ${lookedAt(look)}) s`,
    look.parameters.all,
  );
  const { ids, matching, last } = { matching: 0, last: null, ...found, ids: found?.ids ?? [] };
  return {
    ids,
    count:
      matching > MOST_COUNTED
        ? { value: MOST_COUNTED, atLeast: true }
        : { value: matching, atLeast: last !== null },
    stoppedAt: ids.length < limit ? (last ?? undefined) : undefined,
  };
}
