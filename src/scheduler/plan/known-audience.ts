// Reads the facts about an audience for its planning (planning.md §2). Reads only our own tables; never calls the push service:
// audience/ has done that before, and for a dry run nobody does.
import type { Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { censusOf, FRESH_CENSUS_MS, idsWithoutZone } from '../decide/audience/audience-needs.js';
import { gatewayNames } from '../decide/audience/gateway-names.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type { PlanInput } from '../decide/plan/plan-types.js';
import { readNames, type NamesAsked } from '../store/gateway-name.store.js';
import { readZones } from '../store/recipient-zone.store.js';
import { readCensus, readOffsets } from '../store/registered-offset.store.js';
import type { PlainFacts } from './make-plan.js';

interface AudienceQuestion extends Pick<PlanInput, 'campaign' | 'project' | 'now'> {
  /** How long a registered offset counts as known. */
  readonly offsetCacheMs: number;
  /** The gateway's answers about the campaign's names, from namesAsked(). */
  readonly names: NamesAsked;
  /** How many of the unknown ids will be looked up later; the other unknown ids stay unknown [0]. */
  readonly lookUps?: number;
  /** Every answer since this instant counts, because it was asked for this campaign, however long that took. */
  readonly lookedUpSince?: EpochMs | undefined;
}

export interface KnownAudience {
  /** `provisional` counts the ids that were not looked up. */
  readonly facts: PlainFacts & { readonly provisional: number };
  /** The gateway was not asked lately, or at all, about some of the names. */
  readonly unaskedNames: boolean;
  /** The count of registered offsets is missing, or too old to plan by. */
  readonly censusMissing: boolean;
}

/** For each campaign, the gateway's answers about its names. */
export function namesAsked(
  sql: Sql,
  campaigns: readonly {
    readonly serviceId: string;
    readonly campaign: Campaign | null;
    readonly lookedUpSince?: EpochMs | undefined;
  }[],
  now: EpochMs,
): Promise<NamesAsked[]> {
  const asks = campaigns.map(({ serviceId, campaign, lookedUpSince: since = now }) => ({
    serviceId,
    names: campaign === null ? [] : gatewayNames(campaign),
    since,
  }));
  return readNames(sql, asks, now);
}

export async function knownAudience(sql: Sql, question: AudienceQuestion): Promise<KnownAudience> {
  const { campaign, project, now, offsetCacheMs, names, lookUps = 0, lookedUpSince = now } = question;
  const { serviceId } = campaign;
  const since = Math.min(now - offsetCacheMs, lookedUpSince);
  const unknownNames = names.unknown;
  const unaskedNames = names.unasked.length > 0;
  const census = censusOf(campaign, project);
  if (census !== undefined) {
    const last = await readCensus(sql, serviceId, census.channelName, since);
    const censusMissing = last === undefined || last.lookedUpAt < lookedUpSince - FRESH_CENSUS_MS;
    // An old count is still better than none.
    const offsets = last?.offsets;
    const facts = { unknownNames, offsets, censusMissing: last === undefined, provisional: 0, lookUps };
    return { facts, unaskedNames, censusMissing };
  }
  const ids = idsWithoutZone(campaign);
  const zones = await readZones(sql, serviceId, ids);
  const unsaid = zones.size === 0 ? ids : ids.filter((userId) => !zones.has(userId));
  const { offsets: known, unknownUsers } = await readOffsets(sql, serviceId, unsaid, since);
  const facts: KnownAudience['facts'] = {
    known,
    zones,
    offsetsKnown: new Set([...known.values(), ...zones.values()]).size,
    provisional: unsaid.length - known.size,
    lookUps,
    unknownUsers,
    unknownNames,
  };
  return { facts, unaskedNames, censusMissing: false };
}
