// Tells a database that could not be asked from one that was asked and did not answer: the first is 503/500 (nothing was
// accepted), the second 504/510 (nothing is known). Pure.
import {
  isDatabaseAway,
  isStatementEnded,
  isUndone,
  passesByItself,
} from '../../platform/database/database-away.js';
import { shortageOf } from '../../platform/database/database-shortage.js';
import { GroupsFullError } from '../../platform/database/grouped-statement.js';
import { NotConnectedError } from '../../platform/database/pooled-database.js';
import { errorCode } from '../../platform/logging/error-code.js';

export function databaseFault(error: unknown): 'not sent' | 'unknown' | undefined {
  if (isNotSent(error)) return 'not sent';
  return isDatabaseAway(error) || isStatementEnded(error) ? 'unknown' : undefined;
}

/**
 * There was no connection, or too much waits already; or the server undid the statement because it ran out of something, because
 * it only reads for now, or because of what others did meanwhile (a deadlock, a lock not to be had in time).
 */
function isNotSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error instanceof NotConnectedError ||
    error instanceof GroupsFullError ||
    // What the driver says of a connection that broke before.
    error.message.includes('not queryable') ||
    shortageOf(error) !== undefined ||
    (isUndone(error) && passesByItself(error) && !isStatementEnded(error)) ||
    isNotSent(error.cause)
  );
}

/** A row that the transaction is to change has changed since its snapshot: nothing was done, and it may be tried again. */
export function isNotSerializable(error: unknown): boolean {
  return errorCode(error) === '40001';
}

/** The row that one of ours references was deleted meanwhile. */
export function isMissingReference(error: unknown): boolean {
  return errorCode(error) === '23503';
}

/** There is a row of that key already. */
export function isDuplicate(error: unknown): boolean {
  return errorCode(error) === '23505';
}
