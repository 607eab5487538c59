// The end of a service: gone for everybody with the first statement, its rows step by step after it.
import type { Database } from '../../platform/database.js';
import { retryingDeadlocks } from '../gateway/retrying.js';
import { markRemoved, REMOVAL_STEPS } from './remove-service.store.js';

/**
 * Returns whether there was such a service, or anything left of it: asked again after it broke off, it goes on where it
 * was. `marked` is called once the mark is there.
 */
export async function removeService(
  database: Database,
  serviceId: string,
  now: Date,
  marked: () => void,
): Promise<boolean> {
  let found = await markRemoved(database, serviceId, now);
  marked();
  for (const step of REMOVAL_STEPS) {
    // What is being recorded or registered meanwhile takes its locks in an order of its own.
    while (await retryingDeadlocks(() => database.transaction((sql) => step(sql, serviceId)))) found = true;
  }
  return found;
}
