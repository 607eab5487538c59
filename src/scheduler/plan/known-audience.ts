// What is known of an audience when it is planned (planning.md §2): from our own tables only. Never calls the push
// service: that is done before, by audience/, and for a dry run not at all.
import type { Sql } from '../../platform/database/database.js';
import { censusOf, FRESH_CENSUS_MS, idsWithoutZone } from '../decide/audience/audience-needs.js';
import { gatewayNames } from '../decide/audience/gateway-names.js';
import type { Campaign } from '../decide/plan/campaign.js';
import { noFacts, type AudienceFacts, type PlanningProject } from '../decide/plan/plan-types.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { readNames, type NamesAsked } from '../store/gateway-name.store.js';
import { readCensus, readOffsets } from '../store/registered-offset.store.js';

export interface AudienceQuestion {
  readonly serviceId: string;
  readonly campaign: Campaign;
  readonly project: PlanningProject;
  readonly now: EpochMs;
  /** How long a registered offset is believed. */
  readonly offsetCacheMs: number;
  /** What the gateway said of the campaign's names: namesAsked(). */
  readonly names: NamesAsked;
  /** What was looked up for this very campaign counts, however long that took. */
  readonly lookedUpSince?: EpochMs | undefined;
}

export interface KnownAudience {
  readonly facts: AudienceFacts;
  /** Names that the gateway was not asked for, or long ago. */
  readonly unaskedNames: boolean;
  /** Ids that nobody looked up. */
  readonly unknownIds: number;
  /** The count of registered offsets is missing, or too old to plan by. */
  readonly censusMissing: boolean;
}

/** Of each campaign what its gateway said of its names, for knownAudience(). */
export function namesAsked(
  sql: Sql,
  campaigns: readonly (Pick<AudienceQuestion, 'serviceId' | 'lookedUpSince'> & {
    readonly campaign: Campaign | null;
  })[],
  now: EpochMs,
): Promise<NamesAsked[]> {
  const asks = campaigns.map(({ serviceId, campaign, lookedUpSince: since = now }) => ({
    serviceId,
    names: campaign === null ? [] : gatewayNames(campaign),
    since,
  }));
  return readNames(sql, asks, now);
}

type KnownZones = Omit<KnownAudience, 'unaskedNames'>;
const ALL_KNOWN: KnownZones = { facts: noFacts, unknownIds: 0, censusMissing: false };

export async function knownAudience(sql: Sql, question: AudienceQuestion): Promise<KnownAudience> {
  const { unknown, unasked } = question.names;
  const known = await knownZones(sql, question);
  const facts = unknown.length === 0 ? known.facts : { ...known.facts, unknownNames: unknown };
  return { ...known, facts, unaskedNames: unasked.length > 0 };
}

async function knownZones(sql: Sql, question: AudienceQuestion): Promise<KnownZones> {
  const { serviceId, campaign, project, now, offsetCacheMs, lookedUpSince = now } = question;
  const since = Math.min(now - offsetCacheMs, lookedUpSince);
  const census = censusOf(campaign, project);
  if (census !== undefined) {
    const last = await readCensus(sql, serviceId, census.channelName, since);
    const censusMissing = last === undefined || last.lookedUpAt < lookedUpSince - FRESH_CENSUS_MS;
    if (last === undefined) return { ...ALL_KNOWN, facts: { ...noFacts, censusMissing }, censusMissing };
    return { ...ALL_KNOWN, facts: { ...noFacts, offsets: last.offsets }, censusMissing };
  }
  const ids = idsWithoutZone(campaign);
  if (ids.length === 0) return ALL_KNOWN;
  const known = await readOffsets(sql, serviceId, ids, since);
  const unknownIds = ids.length - known.size;
  const facts: AudienceFacts = {
    zoneOf: (userId) => {
      const offsetSeconds = known.get(userId);
      return offsetSeconds === undefined || offsetSeconds === null
        ? undefined
        : { source: 'registered-offset', offsetSeconds };
    },
    ...(unknownIds === 0 ? {} : { provisional: unknownIds }),
  };
  return { facts, unknownIds, censusMissing: false };
}
