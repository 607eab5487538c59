// Tells a database that could not be asked from one that was asked and did not answer: the first is 503/500 (nothing
// was accepted), the second 504/510 (says nothing about it). Pure.
import { shortageOf } from '../../platform/database/database-shortage.js';
import { errorCode } from '../../platform/error-code.js';

/** connect() failed, the server refused the session, or too much waits already: no statement was sent. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENOBUFS',
  '57P03',
  '3D000',
]);

/** The connection went away, or the statement was cut off, while it was on its way. */
const CUT_OFF = new Set([
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  '57P01',
  '57P02',
  '57014',
  '08006',
  '08003',
  '25P03',
]);

const NOT_CONNECTED_TEXT =
  /timeout exceeded when trying to connect|timeout expired|Cannot use a pool after|not queryable/;
const CUT_OFF_TEXT = /Connection terminated|Query read timeout|Client has encountered a connection error/;

export function databaseFault(error: unknown): 'not sent' | 'unknown' | undefined {
  if (!(error instanceof Error)) return undefined;
  const code = errorCode(error);
  // A terminated connection while connecting says both; "due to connection timeout" is the pool's own wait.
  if (NOT_CONNECTED.has(code) || NOT_CONNECTED_TEXT.test(error.message)) return 'not sent';
  if (error.message.includes('due to connection timeout')) return 'not sent';
  // The statement ran, and the server took it back: as good as not sent.
  if (shortageOf(error) !== undefined) return 'not sent';
  if (CUT_OFF.has(code) || CUT_OFF_TEXT.test(error.message)) return 'unknown';
  const { cause } = error;
  return cause === undefined ? undefined : databaseFault(cause);
}

/** Two transactions waited for each other and the database ended ours; nothing was done, it may be tried again. */
export function isDeadlock(error: unknown): boolean {
  return ['40P01', '40001'].includes(errorCode(error));
}

/** A row that ours refers to went away meanwhile. */
export function isMissingReference(error: unknown): boolean {
  return errorCode(error) === '23503';
}

/** A row of that key is there already. */
export function isDuplicate(error: unknown): boolean {
  return errorCode(error) === '23505';
}
