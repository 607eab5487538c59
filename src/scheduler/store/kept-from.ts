// From which id on the rows of a table that lies in days are kept whole (sql/scheduler/functions/kept_from.sql), in SQL.

/** A subquery: asked once a statement, for it looks at the catalogue (of a million rows, 209 s where each asked). */
export function keptFrom(parent: 'send' | 'event'): string {
  return `(select uuid_floor(kept_from('${parent}')))`;
}
