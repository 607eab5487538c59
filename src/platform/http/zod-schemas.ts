// What the schemas of answers share. It is not in operation.decorator.ts, because commands use it without loading the framework.
import { z } from 'zod';

/** A list in an answer. It is readonly, because nothing changes it any more. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

/** A number of things. */
export const count = z.int().min(0);
