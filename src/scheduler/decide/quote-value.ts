// Quotes a value from outside in a text of ours: as it was sent, shortened. Pure.

const MAX_LENGTH = 80;

export function shown(value: unknown): string {
  return shorten(JSON.stringify(value) ?? 'nothing', MAX_LENGTH);
}

/** At most `length` UTF-16 units. If the cut leaves half of a surrogate pair, it becomes U+FFFD: PostgreSQL stores no halves. */
export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`;
}
