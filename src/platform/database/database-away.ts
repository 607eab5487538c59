// Distinguishes an outage of PostgreSQL from a fault of a statement: an outage passes, a fault is a bug.
import { errorCode } from '../logging/error-code.js';

/**
 * The SQLSTATE classes of a server that stops, starts, or is full: 08 connection, 53 resources, 57P shutdown. With 25P03 and
 * 25P04 the server ends the connection of a transaction that took too long.
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
/** Messages of the driver itself, which have no code. */
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

/** The driver's text when no connection of our pool became free in time. */
const POOL_FULL = /^timeout exceeded when trying to connect/i;

export function isPoolFull(error: unknown): boolean {
  return error instanceof Error && (POOL_FULL.test(error.message) || isPoolFull(error.cause));
}

/** SQLSTATE of a statement that the server ended because it reached its time limit. */
const STATEMENT_ENDED = '57014';
/** SQLSTATE of a server that is read-only for now: a standby that is about to take over, or a primary that hands over. */
const READ_ONLY = '25006';

export const isStatementEnded = (error: unknown): boolean => errorCode(error) === STATEMENT_ENDED;
export const isReadOnly = (error: unknown): boolean => errorCode(error) === READ_ONLY;

/** Errors besides outages that pass: 40001 and 40P01 ask for another try, and 55P03 is a lock that did not come in time. */
const PASSING = new Set(['40001', '40P01', '55P03', STATEMENT_ENDED, READ_ONLY]);

/** Whether the same statement may succeed later. After any other error it would always fail. */
export function passesByItself(error: unknown): boolean {
  return isDatabaseAway(error) || PASSING.has(errorCode(error));
}

/**
 * Whether the server itself says that it undid the statement. After any other failure the statement may have taken effect, and
 * only a query can find out. An ended connection has another severity, and the server may end it after the commit.
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
 * Whether a statement wrote nothing because of its rows: with these rows it always fails, with other rows it may succeed. Only
 * the server sets a severity. Class 42 is a fault of the statement, whatever its rows are. A RangeError means a value that could
 * not be put into the statement.
 */
export function isRefused(error: unknown): error is Error {
  if (error instanceof RangeError) return true;
  const code = errorCode(error);
  if (code === '' || !(error instanceof Error) || !('severity' in error)) return false;
  return !passesByItself(error) && !code.startsWith('42');
}
