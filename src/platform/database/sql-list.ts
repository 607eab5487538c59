// Lists of our own constants in the text of a statement. Never use them for anything that came from outside.

/** `('sent', 'failed')`. */
export function sqlList(words: readonly string[]): string {
  return `(${words.map((word) => `'${word}'`).join(', ')})`;
}

/** Rows for VALUES: `('planned', 'sending'), ('planned', 'held')`. */
export function sqlRows(rows: readonly (readonly string[])[]): string {
  return rows.map(sqlList).join(',\n  ');
}
