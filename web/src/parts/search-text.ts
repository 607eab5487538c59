// Search parameters of an address, which anybody may have typed: what does not fit is left out, and the page shows its default.

type Given = Readonly<Record<string, unknown>>;

export function textIn(given: Given, name: string, most = 128): string | undefined {
  const value = given[name];
  return typeof value === 'string' && value !== '' && value.length <= most ? value : undefined;
}

export function wordIn<Word extends string>(
  given: Given,
  name: string,
  words: readonly Word[],
): Word | undefined {
  const value = textIn(given, name);
  return words.find((word) => word === value);
}

/** ISO 8601. */
export function instantIn(given: Given, name: string): string | undefined {
  const value = textIn(given, name, 32);
  return value !== undefined && /T.*(?:Z|[+-]\d\d:\d\d)$/.test(value) && !Number.isNaN(Date.parse(value))
    ? value
    : undefined;
}

/** A whole number from 1 on. */
export function numberIn(given: Given, name: string, most: number): number | undefined {
  const value = Number(given[name]);
  return Number.isInteger(value) && value >= 1 && value <= most ? value : undefined;
}

/** Without the members that are undefined: an address names only what is chosen. */
export function chosen<Search extends object>(search: Search): Search {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined)) as Search;
}
