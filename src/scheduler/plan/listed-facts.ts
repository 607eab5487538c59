// What planning knows of the ids of an uploaded list (planning.md §2): how many share a zone, by what the list says, else the directory,
// else their registered offset. Counted in the database; no id comes here.
import type { Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type { AudienceFacts, KnownZone, ListGroup } from '../decide/plan/plan-types.js';
import { countKnown, givenZones, layKnown, type ListedGroup } from '../store/listed-audience.store.js';

interface ListedAsk {
  readonly campaign: Campaign;
  /** Registered offsets that were looked up since then count. */
  readonly since: EpochMs;
  readonly now: EpochMs;
}

/**
 * `lay`: our id of the campaign that is about to be planned, for whose sends the ids are laid down. `quick`: of a long list, ids
 * without a zone count as unknown instead of being looked for: that is enough for warnings.
 */
type How = 'count' | 'quick' | { readonly lay: string };

export interface ListedFacts extends Required<
  Pick<AudienceFacts, 'lists' | 'provisional' | 'unknownUsers'>
> {}

/** Ids without a zone that a quick count looks for: half a second. */
const MOST_QUICK = 200_000;

/** Undefined where the campaign goes to no list. */
export async function listedFacts(
  sql: Sql,
  { campaign, since, now }: ListedAsk,
  how: How,
): Promise<ListedFacts | undefined> {
  const { audience, delivery, serviceId } = campaign;
  if (audience?.type !== 'USER' || !('list' in audience)) return undefined;
  const { list, version } = audience;
  if (version === undefined) throw new Error(`the campaign names no version of its list ${list}`);
  const given = await givenZones(sql, version);
  const ofNone = given.find(({ zone }) => zone === '');
  const isJudged = ofNone !== undefined && delivery.kind === 'recipient';
  let groups = given;
  if (isJudged && !(how === 'quick' && ofNone.recipients > MOST_QUICK)) {
    const ask = { version, serviceId, since };
    const ids = ofNone.recipients;
    const found =
      typeof how === 'object'
        ? await layKnown(sql, { ...ask, campaign: how.lay, now }, ids)
        : await countKnown(sql, ask, ids);
    groups = [...given.filter((one) => one !== ofNone), ...found];
  }
  const countOf = (source: ListedGroup['source']): number =>
    groups.reduce((sum, one) => sum + (one.source === source ? one.recipients : 0), 0);
  return {
    lists: { [list]: { version, groups: groups.map(groupOf) } },
    provisional: countOf('unasked'),
    unknownUsers: countOf('no-user'),
  };
}

function groupOf({ source, zone, recipients, digest }: ListedGroup): ListGroup {
  return {
    known: knownOf(source, zone),
    recipients,
    key: [source, zone],
    ...(digest !== undefined && { digest }),
  };
}

function knownOf(source: ListedGroup['source'], zone: string): KnownZone | undefined {
  switch (source) {
    case 'given':
      return zone === '' ? undefined : { source, zone };
    case 'directory':
      return { source, zone };
    case 'registered-offset':
      return { source, offsetSeconds: Number(zone) };
    case 'no-offset':
    case 'no-user':
    case 'unasked':
      return undefined;
    default:
      return source satisfies never;
  }
}
