// Removes a service. After the first statement nobody finds it any more. Then its rows go step by step. If that breaks off, a
// later sweep removes the rest.
import type { EpochMs } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { findRemains, markRemoved, REMOVAL_STEPS } from './remove-service.store.js';

/**
 * Returns whether there was such a service, or rows of it. Called again after it broke off, it goes on. Calls `marked` once the
 * service is marked as removed.
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

/** For so long after the mark, the removal may still run and a replica may still take requests for the service; milliseconds. */
const REMOVING_MS = 60_000;

/**
 * One step for a removed service that still has rows: its removal broke off, or a replica that still knew its keys took something
 * for it. Returns whether there was anything.
 */
export async function sweepRemoved(database: Database, now: EpochMs): Promise<boolean> {
  const serviceId = await findRemains(database, new Date(now - REMOVING_MS));
  return serviceId !== undefined && removeSome(database, serviceId);
}

/** Runs the first step that has something to remove. Returns whether there was one. */
async function removeSome(database: Database, serviceId: string): Promise<boolean> {
  for (const step of REMOVAL_STEPS) {
    // Outcomes and registrations that are written meanwhile lock rows in another order. After a deadlock the pool runs the step
    // again.
    if (await database.transaction((sql) => step(sql, serviceId))) return true;
  }
  return false;
}
