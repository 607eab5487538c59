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
    const place = path.reduce<string>((outer, part) => placeIn(outer, part), '');
    return `${place || root}: ${message}`.slice(0, 500);
  });
  throw badRequest(faults.join('; '), { missingField: issues.some(({ message }) => message === REQUIRED) });
}

/** A member or an element of what lies at `place`: `to`, `target.to`, `to[0]`. */
export function placeIn(place: string, part: PropertyKey): string {
  if (typeof part === 'number') return `${place}[${part}]`;
  return place === '' ? String(part) : `${place}.${String(part)}`;
}
