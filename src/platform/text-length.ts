// The length of a text in code points, as maxLength of JSON Schema and length() of PostgreSQL count. An emoji counts as one;
// JavaScript's own length says two.
import { z } from 'zod';

export function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}

/** Reads no more of a long text than it must. */
export function isLongerThan(text: string, most: number): boolean {
  return text.length > most && (text.length > 2 * most || lengthOf(text) > most);
}

/** A string of at most `most` code points. The issue is zod's own for a text that is too long. */
export function textOfAtMost(most: number): z.ZodString {
  return z
    .string()
    .check(({ value, issues }) => {
      if (!isLongerThan(value, most)) return;
      issues.push({ code: 'too_big', origin: 'string', maximum: most, inclusive: true, input: value });
    })
    .meta({ maxLength: most });
}
