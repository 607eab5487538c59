// Reading of a command's arguments: the same schemas as the API, with faults told in the shell's words.
import { InvalidArgumentError } from 'commander';
import type { z } from 'zod';
import { UsageError } from './usage-error.js';

/** For an option that may be given several times. */
export function collect(value: string, before: readonly string[]): string[] {
  return [...before, value];
}

export function wholeNumber(value: string): number {
  if (!/^\d{1,15}$/.test(value)) throw new InvalidArgumentError('It must be a whole number.');
  return Number(value);
}

/** Throws a UsageError that names every fault. */
export function fromShell<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map(({ path, message }) => `  - ${path.join('.')}: ${message}`);
  throw new UsageError(`the call cannot be used:\n${faults.join('\n')}`);
}
