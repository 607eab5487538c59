// A row of what is uploaded: a user id, and a zone where one is given. What an id may be, and why a row is none. Pure.
import { isLongerThan } from '../../../platform/text-length.js';
import { MAX_USER_ID_LENGTH } from '../../../push-contract/limits.js';

/** Takes the rows in their order. `zone`: null where none is given; it may be no zone at all. */
export type TakeRow = (userId: string, zone: string | null) => void;

/** Reads text piece by piece; throws RowFault. No row is lost between two pieces, or at the end. */
export interface RowReader {
  push(text: string): void;
  end(): void;
}

/** Why what was sent cannot be taken: the first fault, by the number of its line. Nothing of it is kept. */
export class RowFault extends Error {
  readonly code = 'INVALID_ROWS';

  constructor(
    readonly line: number,
    text: string,
  ) {
    super(`line ${line}: ${text}`);
  }
}

/** Characters of a line. An id and a zone have 200 at most; quotes, escapes and names of members are the rest. */
export const LONGEST_LINE = 4_096;
/** A longer name is none of a zone, and is told by its beginning. */
const LONGEST_ZONE = 64;
// oxlint-disable-next-line no-control-regex -- they are looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

/** Throws RowFault where it cannot be a user id. */
export function checkUserId(userId: string, line: number): void {
  if (userId === '') throw new RowFault(line, 'the user id is empty');
  if (userId.length > MAX_USER_ID_LENGTH && isLongerThan(userId, MAX_USER_ID_LENGTH))
    throw new RowFault(line, `a user id has at most ${MAX_USER_ID_LENGTH} characters`);
  if (CONTROL.test(userId)) throw new RowFault(line, 'the user id holds a control character, such as NUL');
  if (!userId.isWellFormed()) throw new RowFault(line, 'the user id holds half of a character');
}

/** The zone as it is kept: null for none. */
export function zoneIn(given: string): string | null {
  const zone = given.trim();
  if (zone === '') return null;
  return CONTROL.test(zone) ? '?' : zone.slice(0, LONGEST_ZONE).toWellFormed();
}
