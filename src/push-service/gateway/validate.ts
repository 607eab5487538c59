// Checks a value against a schema of fields.ts and names the faults as `field: rule`.
import type { z } from 'zod';
import { badRequest } from './push-error.js';

/** The rule that refuses a required member that is absent or null. */
export const REQUIRED = 'is required';

/** How many faults are named, so that a caller corrects several at once. */
const NAMED = 5;

/** Returns the parsed value. Throws badRequest. `root` names the value where the fault is in the value as a whole. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  root = 'body',
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const faults = issues.slice(0, NAMED).map(({ path, message }) => {
    return `${placeOf(path) || root}: ${message}`.slice(0, 500);
  });
  throw badRequest(faults.join('; '), { missingField: issues.some(({ message }) => message === REQUIRED) });
}

/** A path of members and elements as text: `to`, `target.to`, `to[0]`; empty for the whole value. */
export function placeOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((outer, key) => {
    if (typeof key === 'number') return `${outer}[${key}]`;
    return outer === '' ? String(key) : `${outer}.${String(key)}`;
  }, '');
}
