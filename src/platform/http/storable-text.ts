// Text that PostgreSQL's text and jsonb can store. What a caller gives is checked where it comes in, so that no statement is
// refused for it.
import { z } from 'zod';

/** Whether it is free of U+0000 and of halves of surrogate pairs. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** A string of at most `max` UTF-16 units that can be stored and compared with what is. */
export function storableText(max: number) {
  return z.string().max(max).refine(isStorable, 'holds characters that cannot be stored');
}
