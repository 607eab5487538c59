// A statement that the database ended to break a deadlock did nothing: it is tried again, a few times.
import { isDeadlock, isMissingReference } from './database-fault.js';

const TRIES = 5;

/** Throws what the last try threw. For single statements and whole transactions, never for a part of one. */
export async function retryingDeadlocks<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      // The referenced row was deleted between look-up and insert: the next try finds that it is not there.
      const passing = isDeadlock(error) || isMissingReference(error);
      if (!passing || attempt === TRIES) throw error;
    }
  }
}
