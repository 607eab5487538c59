// Who a campaign reaches, by zone (planning.md §2): groups of recipients from segments, directory, registered offsets,
// countries and, for everybody else, the fallback. Decides no times.
import { segmentsOf, type Audience } from '../plan/campaign.js';
import type { PlanInput, PlanWarning } from '../plan/plan-types.js';
import { zoneOfCountry } from './country-zones.js';
import { homeOf, type Group } from './recipient-group.js';
import { inlineRecipients, listedGroups, RecipientPlacer, userAudiences } from './recipients.js';
import { subtractSegments, type FilterAudience } from './subtract-segments.js';
import { fixedOffsetZone } from './zone-by-name.js';

export interface AudienceGroups {
  readonly groups: readonly Group[];
  readonly warnings: readonly PlanWarning[];
  /** USER ids named more than once. */
  readonly duplicates: number;
  /** Names that are no zones → recipients, or 1 for a segment without ids. */
  readonly invalidZones: Readonly<Record<string, number>>;
}

type Facts = Pick<PlanInput, 'campaign' | 'project' | 'audience' | 'rules' | 'now'>;

export function audienceGroups(facts: Facts): AudienceGroups {
  const { campaign, project } = facts;
  const { delivery, audience } = campaign;
  const users = userGroups(facts);
  const { duplicates } = users;
  const own = audience === null || audience.type === 'USER' ? undefined : audience;
  if (delivery.kind !== 'recipient') {
    // One group, on the clock that the delivery names.
    const home = own === undefined ? [] : [{ ...homeOf(delivery, project), segment: 0, audience: own }];
    return { groups: [...users.groups, ...home], warnings: [], duplicates, invalidZones: {} };
  }
  const segments = segmentGroups(facts);
  const rest = own === undefined ? { groups: [], warnings: [] } : unsegmented(facts, own);
  return {
    groups: [...users.groups, ...segments.groups, ...rest.groups],
    warnings: rest.warnings,
    duplicates,
    // From entries, because a zone may be called `__proto__`.
    invalidZones: Object.fromEntries([...segments.invalidZones, ...users.invalidZones]),
  };
}

interface UserGroups extends Pick<AudienceGroups, 'groups' | 'duplicates'> {
  readonly invalidZones: ReadonlyMap<string, number>;
}

const NO_USERS: UserGroups = { groups: [], duplicates: 0, invalidZones: new Map() };

/** USER audiences, by sources 1, 2 and 5 where the recipient's clock counts. */
function userGroups({ campaign, project, audience: known, rules }: Facts): UserGroups {
  const audiences = userAudiences(campaign);
  if (audiences.length === 0) return NO_USERS;
  const placer = new RecipientPlacer(campaign, project, rules);
  if (known.placed !== undefined) {
    for (const recipients of known.placed) placer.placeAgain(recipients);
    return { ...NO_USERS, groups: placer.groups() };
  }
  const ids = inlineRecipients(campaign, known);
  let step = ids.next();
  for (; step.done !== true; step = ids.next()) placer.place(step.value.segment, step.value.known);
  for (const { segment, group } of listedGroups(campaign, known))
    placer.place(segment, group.known, group.recipients);
  return { groups: placer.groups(), duplicates: step.value, invalidZones: placer.invalidZones };
}

/** Source 1 for CHANNEL and ALL: they name nobody, so a segment's filters take the place of ids. */
function segmentGroups({ campaign, project, rules }: Facts): {
  readonly groups: readonly Group[];
  readonly invalidZones: ReadonlyMap<string, number>;
} {
  const groups: Group[] = [];
  const invalidZones = new Map<string, number>();
  for (const [index, { zone, audience }] of segmentsOf(campaign.delivery).entries()) {
    if (audience.type === 'USER') continue;
    const segment = index + 1;
    if (rules.has(zone)) {
      groups.push({ zone, zoneSource: 'given', segment, audience });
      continue;
    }
    invalidZones.set(zone, (invalidZones.get(zone) ?? 0) + 1);
    // A request has one target, so the segment cannot join another cell: it gets a fallback cell of its own.
    groups.push({ ...fallback(project.defaultZone, audience), segment, reason: 'INVALID_ZONE' });
  }
  return { groups, invalidZones };
}

/** Sources 3, 4 and 5 for recipients outside every segment. */
function unsegmented(
  { campaign, project, audience: known, rules, now }: Facts,
  own: FilterAudience,
): { groups: Group[]; warnings: PlanWarning[] } {
  const segments = segmentsOf(campaign.delivery).map(({ audience }) => audience);
  const remainders = subtractSegments(own, segments);

  if (project.extensions.includes('target-timezone') && known.offsets !== undefined) {
    const cells = remainders.flatMap((remainder) => oneTarget(remainder, remainders.length));
    // The push service counts a whole service or one channel, not a country or a device type in it.
    const counted =
      own.country.length === 0 && own.deviceType === null && (own.type === 'ALL' || own.to.length === 1);
    const groups = known.offsets.flatMap(({ offsetSeconds, users }) =>
      cells.map((cell) => ({
        zone: fixedOffsetZone(offsetSeconds),
        zoneSource: 'registered-offset' as const,
        segment: 0,
        ...cell,
        offsetSeconds,
        recipients: counted ? users : undefined,
      })),
    );
    return { groups, warnings: [OFFSETS_MOVE] };
  }

  const groups: Group[] = [];
  const warnings: PlanWarning[] = [];
  for (const audience of remainders) {
    const left: string[] = [];
    for (const country of audience.country) {
      const found = zoneOfCountry(country, project.principalZones, rules, now);
      if ('zone' in found) {
        groups.push({ zone: found.zone, zoneSource: 'country', segment: 0, audience, onlyCountry: country });
        continue;
      }
      left.push(country);
      warnings.push(withoutZone(country, found.code));
    }
    if (left.length === 0 && audience.country.length > 0) continue;
    for (const cell of oneTarget({ ...audience, country: left }, remainders.length)) {
      groups.push({ ...fallback(project.defaultZone, cell.audience), ...cell });
    }
  }
  return { groups, warnings };
}

/** A cell has one target, so remainders that differ in their channels get a cell for each country. */
function oneTarget(audience: Audience, remainders: number): Pick<Group, 'audience' | 'onlyCountry'>[] {
  return remainders === 1
    ? [{ audience }]
    : audience.country.map((country) => ({ audience, onlyCountry: country }));
}

function fallback(zone: string, audience: Audience): Group {
  return { zone, zoneSource: 'fallback', segment: 0, reason: 'ZONE_UNKNOWN', audience };
}

const OFFSETS_MOVE: PlanWarning = {
  code: 'REGISTERED_OFFSETS_MOVE',
  text: 'a user whose registered offset changes between two cells may get both or none',
  pointer: '/delivery/zone',
};

function withoutZone(country: string, code: 'UNKNOWN_COUNTRY' | 'NO_PRINCIPAL_ZONE'): PlanWarning {
  const why = {
    UNKNOWN_COUNTRY: `no zone is known of the country ${country}`,
    NO_PRINCIPAL_ZONE: `${country} has several zones and the project names no principal one`,
  }[code];
  return { code, text: `${why}: it goes by the project's default zone`, pointer: '/audience/country' };
}
