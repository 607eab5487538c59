// Pages of lists with filters that no index serves. A page examines a bounded number of rows in order of id, and says where it
// stopped. So no request reads a whole table for the few rows that match its filter.
import type { Sql } from './database.js';

/** Counts are exact up to here. */
const MOST_COUNTED = 10_000;
/** How many rows one page examines. PostgreSQL 18 takes some 40 ms for rows of send with their cells. */
export const MOST_LOOKED_AT = 10_500;

/** Which rows to examine, and in which order. */
export interface Look {
  /** A query without order and limit whose rows have an `id`. An index reads them in order of id, or they are few. */
  readonly rows: string;
  /** A join that adds to each row `s` what `match` needs. */
  readonly beside?: string;
  /** The condition on a row `s`. */
  readonly match: string;
  readonly newest: boolean;
  /** First the parameters of `rows`, then those of `match`. */
  readonly parameters: Parameters;
}

/** Collects the parameters of a statement while its text is put together. */
export class Parameters {
  readonly all: unknown[] = [];
  /** How many of them `rows` uses. */
  ofRows = 0;

  /** Returns the parameter's place in the text, as `type`. */
  add(value: unknown, type: string): string {
    this.all.push(value);
    return `$${this.all.length}::${type}`;
  }

  /** Adds the condition `text`, with the value in place of each `?`; nothing for null or undefined. */
  restrict(conditions: string[], value: unknown, type: string, text: string): void {
    if (value === undefined || value === null) return;
    const place = this.add(value, type);
    conditions.push(text.replaceAll('?', () => place));
  }
}

/** The first matching rows among those that were examined. */
export interface Looked {
  /** The ids in order, at most `limit`. */
  readonly ids: readonly string[];
  /** The last row that was examined, where more rows may follow. */
  readonly stoppedAt: string | undefined;
}

/** `atLeast`: `value` is a lower bound. */
export interface Counted {
  readonly value: number;
  readonly atLeast: boolean;
}

const directionOf = ({ newest }: Look): string => (newest ? 'desc' : 'asc');

/** The rows that are examined, as `s`, with what is joined to them: the text behind a FROM. */
export const lookedAt = ({ beside = '', ...look }: Look): string => `${theLookedAt(look)} s ${beside}`;

const theLookedAt = (look: Look): string =>
  `(select * from (${look.rows}) r order by r.id ${directionOf(look)} limit ${MOST_LOOKED_AT})`;

/** Returns the first `limit` matching rows, and stops as soon as it has them. */
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

/** The last row that was examined, if the page's bound was reached. */
async function stopOf(sql: Sql, look: Look): Promise<string | undefined> {
  const [last] = await sql.query<{ id: string }>(
    `select l.id from ${theLookedAt(look)} l order by l.id ${directionOf(look)} offset ${MOST_LOOKED_AT - 1}`,
    look.parameters.all.slice(0, look.parameters.ofRows),
  );
  return last?.id;
}

/** A page with the number of matching rows. */
export interface Surveyed extends Looked {
  /** Exact up to 10 000, unless the page's bound was reached. */
  readonly count: Counted;
}

/** As lookThrough(), with the count, in one statement: for a table of many days, to plan takes longer than to read. */
export async function survey(sql: Sql, look: Look, limit: number): Promise<Surveyed> {
  const inOrder = `order by s.id ${directionOf(look)}`;
  const [found] = await sql.query<{ ids: string[] | null; matching: number; last: string | null }>(
    `select (array_agg(s.id ${inOrder}) filter (where s.matches))[1:${limit}] as ids,
            count(*) filter (where s.matches)::int as matching, (array_agg(s.id ${inOrder}))[${MOST_LOOKED_AT}] as last
       from (select s.id, ${look.match} as matches from ${lookedAt(look)}) s`,
    look.parameters.all,
  );
  const ids = found?.ids ?? [];
  const matching = found?.matching ?? 0;
  const last = found?.last ?? undefined;
  const atLeast = matching > MOST_COUNTED || last !== undefined;
  return {
    ids,
    count: { value: Math.min(matching, MOST_COUNTED), atLeast },
    stoppedAt: ids.length < limit ? last : undefined,
  };
}
