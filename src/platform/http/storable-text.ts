// Text that PostgreSQL's text and jsonb can store, so that no statement is refused because of it. A caller's text is checked
// where it comes in. Text of others (gateways, providers, errors, refused events) is made storable.
import { textOfAtMost } from '../text-length.js';

/** Whether the text has no U+0000 and no half of a surrogate pair. */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** The first `most` UTF-16 units. U+0000 and halves of surrogate pairs become U+FFFD, also a half that the cut makes. */
export function storable(text: string, most = Infinity): string {
  return text.slice(0, most).toWellFormed().replaceAll('\0', '\uFFFD');
}

/** A string of at most `max` code points that PostgreSQL can store. */
export function storableText(max: number) {
  return textOfAtMost(max).refine(isStorable, 'holds characters that cannot be stored');
}
