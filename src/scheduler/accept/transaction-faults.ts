// Which failures of a transaction pass by themselves, which are one event's own, and how often a lost race is run again.
import { errorCode } from '../../platform/error-code.js';

/** Another transaction made the same campaign between our look and our insert: look again. */
export class RaceLostError extends Error {
  readonly code = 'RACE_LOST';
}

/** 40001 serialization failure, 40P01 deadlock: the database asks for another try. */
const TRY_AGAIN = new Set(['RACE_LOST', '40001', '40P01']);
const TRIES = 5;

export async function withRetries<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === TRIES || !TRY_AGAIN.has(errorCode(error))) throw error;
    }
  }
}

/**
 * The data itself is at fault: SQLSTATE class 22 (data exception) or 23 (constraint), 54 (limits of PostgreSQL), or a
 * bug of ours that only some value meets. Everything else (the database away, full, not migrated) would befall every
 * event alike, and is waited for.
 */
export function isFaultOfAnEvent(error: unknown): boolean {
  const code = errorCode(error);
  if (code !== '') return /^(22|23|54)[0-9A-Z]{3}$/.test(code);
  return error instanceof TypeError || error instanceof RangeError || error instanceof SyntaxError;
}
