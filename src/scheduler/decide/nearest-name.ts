// Finds the known name that somebody probably meant: for texts about an unknown member, option or zone. Pure.
import { closest, distance } from 'fastest-levenshtein';

/** `; did you mean "night"?`, or nothing where no name is near. */
export function nearest(given: string, known: readonly string[]): string {
  if (given.length > 100 || known.length === 0) return '';
  const lower = given.toLowerCase();
  const names = new Map(known.map((name) => [name.toLowerCase(), name]));
  const slip = closest(lower, [...names.keys()]);
  // Two letters of a short word make another word.
  const isNear = distance(lower, slip) <= Math.min(2, given.length - 1);
  return isNear ? `; did you mean ${JSON.stringify(names.get(slip))}?` : '';
}
