// Tries a statement or transaction again, a few times, when it lost a race and did nothing. After a deadlock the pool itself
// tries again.
import { isMissingReference, isNotSerializable } from './database-fault.js';

const TRIES = 5;

/** Throws what the last try threw. Use it for single statements and whole transactions, never inside a transaction. */
export async function retryingRaces<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      // The referenced row was deleted between the look-up and the insert. The next try finds that it is gone.
      const passing = isNotSerializable(error) || isMissingReference(error);
      if (!passing || attempt === TRIES) throw error;
    }
  }
}
