// The end of a service: gone for everybody with the first statement, its rows step by step after it; and the end of what
// is left of one after all.
import type { EpochMs } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { retryingDeadlocks } from '../gateway/retry-deadlocks.js';
import { findRemains, markRemoved, REMOVAL_STEPS } from './remove-service.store.js';

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
  while (await removeSome(database, serviceId)) found = true;
  return found;
}

/** Whoever removes a service, or still knows it, may be at it for so long. */
const AT_IT_MS = 60_000;

/**
 * One step for a service that is removed and not all gone: its removal broke off, or a replica that still knew its keys
 * took something for it. Returns whether there was one.
 */
export async function sweepRemoved(database: Database, now: EpochMs): Promise<boolean> {
  const serviceId = await findRemains(database, new Date(now - AT_IT_MS));
  return serviceId !== undefined && removeSome(database, serviceId);
}

/** The first step that has something to remove. Returns whether there was one. */
async function removeSome(database: Database, serviceId: string): Promise<boolean> {
  for (const step of REMOVAL_STEPS) {
    // What is being recorded or registered meanwhile takes its locks in an order of its own.
    if (await retryingDeadlocks(() => database.transaction((sql) => step(sql, serviceId)))) return true;
  }
  return false;
}
