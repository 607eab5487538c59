// The id from which on raw bodies are kept, as SQL (sql/scheduler/functions/kept_from.sql).

/** A subquery, so that a statement reads the catalogue once. When each of a million rows asked, it took 209 s. */
export function keptFrom(): string {
  return `(select uuid_floor(kept_from('event')))`;
}
