// Tells an outage of PostgreSQL from a fault of a statement: the one passes, the other is a bug.
import { errorCode } from '../error-code.js';

/**
 * SQLSTATE classes that say the server is going, coming, or full: 08 connection, 53 resources, 57P shutdown. 25P03 and
 * 25P04 end the connection of a transaction that took too long.
 */
const OUTAGE_STATE = /^(08|53|57P|25P0[34])/;
const OUTAGE_ERRNO = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENETDOWN',
  'ECONNABORTED',
]);
/** The client's own words; it gives these no code. */
const OUTAGE_TEXT =
  /^(Connection terminated|Client has encountered a connection error|Query read timeout|timeout exceeded when trying to connect|Driver not Connected|Cannot use a pool after calling end)/i;

export function isDatabaseAway(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  if (error instanceof AggregateError && error.errors.some((inner) => isDatabaseAway(inner))) return true;
  const code = errorCode(error);
  return (
    OUTAGE_STATE.test(code) ||
    OUTAGE_ERRNO.has(code) ||
    OUTAGE_TEXT.test(error.message) ||
    isDatabaseAway(error.cause)
  );
}

/**
 * Beside an outage: 40001 and 40P01 ask for another try, 55P03 and 57014 were a lock or a time limit, 25006 is a server
 * that only reads for now.
 */
const PASSING = new Set(['40001', '40P01', '55P03', '57014', '25006']);

/** Whether the same statement may succeed later; all else would fail for ever. */
export function passesByItself(error: unknown): boolean {
  return isDatabaseAway(error) || PASSING.has(errorCode(error));
}

/**
 * Whether the server says itself that it undid the statement. After any other failure it may have been done: only asking
 * tells. Whoever ends a connection does so with another severity, and may do it after the commit.
 */
export function isUndone(error: unknown): error is Error {
  return (
    error instanceof Error &&
    'severity' in error &&
    error.severity === 'ERROR' &&
    !/^(08|57P)/.test(errorCode(error))
  );
}

/**
 * Whether a statement failed for ever by what it was to write, with nothing written: the same may do for other rows.
 * Severities are given by the server alone; class 42 is the statement's own fault, whatever the rows; a RangeError comes
 * of a value that could not be put into the statement.
 */
export function isRefused(error: unknown): error is Error {
  if (error instanceof RangeError) return true;
  const code = errorCode(error);
  if (code === '' || !(error instanceof Error) || !('severity' in error)) return false;
  return !passesByItself(error) && !code.startsWith('42');
}
