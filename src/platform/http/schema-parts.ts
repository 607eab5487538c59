// Parts of the schemas of answers. Apart from operation.ts: commands read with them what they show, without a framework.
import { z } from 'zod';

/** A list as it is shown: nobody changes it on its way out. */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(item).readonly();
}

/** How many there are. */
export const count = z.int().min(0);
