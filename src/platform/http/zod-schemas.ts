// Parts of the schemas of answers. Not in operation.decorator.ts, because commands use them without loading the framework.
import { z } from 'zod';

/** A list in an answer; readonly, as nothing changes it any more. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

/** A number of things. */
export const count = z.int().min(0);
