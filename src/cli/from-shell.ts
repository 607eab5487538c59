// Reads a command's arguments by the API's own schemas, with faults told in the shell's words.
import type { z } from 'zod';
import { UsageError } from './usage-error.js';

/** Throws a UsageError that names every fault. */
export function fromShell<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `  - ${path.join('.')}: ${message}`);
  throw new UsageError(`the call cannot be used:\n${faults.join('\n')}`);
}
