// Removes a service: it is gone for everybody with the first statement, its rows go step by step after that. A later sweep
// removes what was left of it.
import type { EpochMs } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { findRemains, markRemoved, REMOVAL_STEPS } from './remove-service.store.js';

/**
 * Returns whether there was such a service, or anything left of it: called again after it broke off, it goes on where it
 * was. `marked` is called once the service is marked as removed.
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

/** For so long after the mark, the removal itself may still run and a replica may still take requests for the service. */
const REMOVING_MS = 60_000;

/**
 * One step for a service that is removed and not all gone: its removal broke off, or a replica that still knew its keys
 * took something for it. Returns whether there was one.
 */
export async function sweepRemoved(database: Database, now: EpochMs): Promise<boolean> {
  const serviceId = await findRemains(database, new Date(now - REMOVING_MS));
  return serviceId !== undefined && removeSome(database, serviceId);
}

/** The first step that has something to remove. Returns whether there was one. */
async function removeSome(database: Database, serviceId: string): Promise<boolean> {
  for (const step of REMOVAL_STEPS) {
    // Outcomes and registrations that are written meanwhile lock their rows in an order of their own: after a deadlock, the pool
    // does the step again.
    if (await database.transaction((sql) => step(sql, serviceId))) return true;
  }
  return false;
}
