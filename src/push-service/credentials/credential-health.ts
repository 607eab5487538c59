// What is wrong with credentials, for health and metrics: credentials that a provider refuses, and what an operator must change
// at a provider. Never shows a secret.
import type { Clock } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { listTroubled, type TroubledCredential } from './credential.store.js';

/**
 * A warning is dropped after this time, milliseconds: that no device fails like this any more is the only sign that it is over.
 */
const WARNED_MS = 3_600_000;

export const readTroubled = (sql: Sql, clock: Clock): Promise<TroubledCredential[]> =>
  listTroubled(sql, new Date(clock.now() - WARNED_MS));

export async function troubledInWords(sql: Sql, clock: Clock): Promise<string[]> {
  return (await readTroubled(sql, clock)).map(inWords);
}

function inWords({ serviceId, kind, fault, faultSince, warning }: TroubledCredential): string {
  const name = `${kind} of ${serviceId}`;
  return fault === null
    ? `${name}: devices fail (${warning ?? ''}): change it at the provider.`
    : `${name} is refused since ${faultSince?.toISOString() ?? ''} (${fault}): carillon-push credential check ${serviceId} ${kind} says why.`;
}
