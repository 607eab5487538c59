// Checks a value against a schema of fields.ts and says the first fault as `field: rule`.
import type { z } from 'zod';
import { badRequest } from './push-error.js';

/** The parsed value. Throws badRequest; `root` names the value where the fault is the whole of it. */
export function validate<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  root = 'body',
): z.output<Schema> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => ({
    place: placeOf(issue.path) || root,
    rule: issue.message,
  }));
  // One of them is enough to be refused for; all are named, so that a caller mends them at once.
  const shown = faults.slice(0, 5).map((fault) => `${fault.place}: ${fault.rule}`);
  const missingField = faults.some((fault) => fault.rule === REQUIRED);
  throw badRequest(shown.join('; '), { missingField });
}

/** What a required member that is absent or null is refused with. */
export const REQUIRED = 'is required';

function placeOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>(
    (place, part) =>
      typeof part === 'number'
        ? `${place}[${part}]`
        : place === ''
          ? String(part)
          : `${place}.${String(part)}`,
    '',
  );
}
