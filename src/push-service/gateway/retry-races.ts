// A statement or transaction that lost a race did nothing: it is tried again, a few times. After a deadlock the pool does that
// by itself.
import { isMissingReference, isNotSerializable } from './database-fault.js';

const TRIES = 5;

/** Throws what the last try threw. For single statements and whole transactions, never for a part of one. */
export async function retryingRaces<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      // The referenced row was deleted between look-up and insert: the next try finds that it is not there.
      const passing = isNotSerializable(error) || isMissingReference(error);
      if (!passing || attempt === TRIES) throw error;
    }
  }
}
