// Whose registered offset is to be asked for: ids of a campaign for which nobody gave a zone, neither the campaign nor the directory,
// and of which no look-up is kept. Of a list, as many as may be asked for; the list itself stays in the database.
import type { Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { idsWithoutZone } from '../decide/audience/audience-needs.js';
import type { Campaign } from '../decide/plan/campaign.js';
import { unaskedIds } from '../store/listed-audience.store.js';
import { readZones } from '../store/recipient-zone.store.js';
import { readOffsets } from '../store/registered-offset.store.js';

/** Whether a campaign may have such ids at all. */
export function mayAskForIds(campaign: Campaign): boolean {
  return listedVersion(campaign) !== undefined || idsWithoutZone(campaign).length > 0;
}

/** `since`: a look-up made then or later is kept. `most`: of a list. */
export async function idsToAsk(
  sql: Sql,
  campaign: Campaign,
  { serviceId, since, most }: { readonly serviceId: string; readonly since: EpochMs; readonly most: number },
): Promise<string[]> {
  const version = listedVersion(campaign);
  if (version !== undefined) return unaskedIds(sql, { version, serviceId, since }, most);
  const ids = idsWithoutZone(campaign);
  const zones = await readZones(sql, serviceId, ids);
  const unknown = ids.filter((userId) => !zones.has(userId));
  const { offsets } = await readOffsets(sql, serviceId, unknown, since);
  return unknown.filter((userId) => !offsets.has(userId));
}

/** Where the clock of the recipients counts. */
function listedVersion({ audience, delivery }: Campaign): string | undefined {
  if (delivery.kind !== 'recipient' || audience === null || !('list' in audience)) return undefined;
  return audience.version;
}
