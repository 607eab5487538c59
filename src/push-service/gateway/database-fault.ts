// Distinguishes a statement that did not reach the database from one that the database did not answer. The first is 503/500
// (nothing was accepted), the second 504/510 (nobody knows). Pure.
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
 * There was no connection, or too many requests wait already. Or the server undid the statement: it ran out of a resource, it is
 * read-only for now, or another transaction was in the way (a deadlock, a lock that did not come in time).
 */
function isNotSent(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return (
    error instanceof NotConnectedError ||
    error instanceof GroupsFullError ||
    // The driver's text for a connection that broke before.
    error.message.includes('not queryable') ||
    shortageOf(error) !== undefined ||
    (isUndone(error) && passesByItself(error) && !isStatementEnded(error)) ||
    isNotSent(error.cause)
  );
}

/** A row that the transaction would change has changed since its snapshot. Nothing was done, and it may be tried again. */
export function isNotSerializable(error: unknown): boolean {
  return errorCode(error) === '40001';
}

/** A row that the statement references was deleted meanwhile. */
export function isMissingReference(error: unknown): boolean {
  return errorCode(error) === '23503';
}

/** There is a row with that key already. */
export function isDuplicate(error: unknown): boolean {
  return errorCode(error) === '23505';
}
