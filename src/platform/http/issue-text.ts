// What a caller reads of an issue that a zod schema found.
import type { z } from 'zod';

/** zod tells of a member that is left out by its types: "expected string, received undefined". */
const LEFT_OUT = /^Invalid input: expected .*, received undefined$/;

export function issueText({ message }: Pick<z.core.$ZodIssue, 'message'>): string {
  return LEFT_OUT.test(message) ? 'is required' : message;
}
