// Limits how many problems an answer, a rejection or a dead letter lists: a body of a megabyte may have a hundred thousand. The
// last problem says how many more there are.

export const MOST_LISTED = 50;
/** The code of the entry for the rest of a list. */
export const MORE = 'MORE';

interface Listed {
  readonly pointer: string;
  readonly code: string;
  readonly text: string;
}

const REST = /^and (\d+) more$/;

export function restOf(count: number): { pointer: string; code: typeof MORE; text: string } {
  return { pointer: '', code: MORE, text: `and ${count} more` };
}

/** The first `most`, and how many more there are. A list that was cut before counts with what it left out. */
export function mostListed<Item extends Listed>(
  items: readonly Item[],
  most = MOST_LISTED,
): (Item | ReturnType<typeof restOf>)[] {
  const whole = items.filter(({ code }) => code !== MORE);
  const cut = items.filter(({ code }) => code === MORE);
  const more = cut.reduce((sum, { text }) => sum + Number(REST.exec(text)?.[1] ?? 0), whole.length - most);
  const listed = whole.slice(0, most);
  const left = more + (most - listed.length);
  return left > 0 ? [...listed, restOf(left)] : listed;
}
