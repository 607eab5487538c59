// Checks a value against a schema of fields.ts and names the faults as `field: rule`.
import type { z } from 'zod';
import { badRequest } from './push-error.js';

/** What a required member that is absent or null is refused with. */
export const REQUIRED = 'is required';

/** Faults that are named, so that a caller mends several at once. */
const NAMED = 5;

/** The parsed value. Throws badRequest; `root` names the value where the fault is the whole of it. */
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

/** Where a path of members and elements leads: `to`, `target.to`, `to[0]`; empty for the whole. */
export function placeOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((outer, part) => {
    if (typeof part === 'number') return `${outer}[${part}]`;
    return outer === '' ? String(part) : `${outer}.${String(part)}`;
  }, '');
}
