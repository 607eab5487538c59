// Text that PostgreSQL's text and jsonb can store, so that no statement is refused for it. What a caller gives is checked where
// it comes in; what others say (gateways, providers, errors, events that are refused) is made storable.
import { textOfAtMost } from '../text-length.js';

/** Whether it is free of U+0000 and of halves of surrogate pairs. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** Its first `most` UTF-16 units; U+0000 and halves of surrogate pairs, also of one that the cut went through, become U+FFFD. */
export function storable(text: string, most = Infinity): string {
  return text.slice(0, most).toWellFormed().replaceAll('\0', '\uFFFD');
}

/** A string of at most `max` code points that can be stored and compared with what is. */
export function storableText(max: number) {
  return textOfAtMost(max).refine(isStorable, 'holds characters that cannot be stored');
}
