// Which messages are worked on together with others: to a few users, and short, since some hundred are held at once. Pure.
import type { MessageRequest } from './message-request.js';

/** Users it names. */
const MOST_USERS = 20;

/** Characters of the text it is kept as. */
const MOST_TEXT = 8_192;

/** `kept` is the request as the text it is kept as. */
export function isSmall({ target }: Pick<MessageRequest, 'target'>, kept: string): boolean {
  return target.type === 'USER' && (target.to?.length ?? 0) <= MOST_USERS && kept.length <= MOST_TEXT;
}
