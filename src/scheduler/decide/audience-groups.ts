// Who a campaign reaches, by zone (planning.md §2): groups of recipients from segments, directory, registered offsets,
// countries and, for what is left, the fallback. No time is decided here.
import type { Audience, Segment } from './campaign.js';
import { zoneOfCountry } from './country-zones.js';
import { homeOf, type Group } from './groups.js';
import { overlap, OverlapIndex } from './overlap.js';
import type { PlanInput, PlanProblem } from './planned.js';
import { inlineRecipients, RecipientPlacer, userAudiences } from './recipients.js';
import { fixedOffsetZone } from './zones.js';

export interface AudienceGroups {
  readonly groups: readonly Group[];
  readonly warnings: readonly PlanProblem[];
  readonly refusal?: PlanProblem;
  /** USER ids named more than once. */
  readonly duplicates: number;
  /** Zones that are none → recipients, or 1 for a segment without ids. */
  readonly invalidZones: Readonly<Record<string, number>>;
}

type Facts = Pick<PlanInput, 'campaign' | 'project' | 'audience' | 'rules' | 'now'>;

export function audienceGroups(facts: Facts): AudienceGroups {
  const { campaign } = facts;
  if (campaign.delivery.kind !== 'recipient') return withoutZones(facts);
  const refusal = overlapping(campaign.audience, campaign.delivery.segments ?? []);
  if (refusal !== undefined) {
    return { groups: [], warnings: [], refusal, duplicates: 0, invalidZones: {} };
  }
  const users = userGroups(facts);
  const others = filterGroups(facts, campaign.delivery.segments ?? []);
  return {
    groups: [...users.groups, ...others.groups],
    warnings: others.warnings,
    duplicates: users.duplicates,
    invalidZones: { ...others.invalidZones, ...users.invalidZones },
  };
}

/** Now, an instant, a wall time in one zone, a schedule code: one group, on the clock that the delivery names. */
function withoutZones(facts: Facts): AudienceGroups {
  const { project } = facts;
  const { delivery, audience } = facts.campaign;
  if (audience === null) {
    const refusal = { code: 'AUDIENCE_MISSING', text: 'the campaign has no audience', pointer: '/audience' };
    return { groups: [], warnings: [], refusal, duplicates: 0, invalidZones: {} };
  }
  if (audience.type === 'USER') return { ...userGroups(facts), warnings: [] };
  const groups = [{ ...homeOf(delivery, project), segment: 0, audience }];
  return { groups, warnings: [], duplicates: 0, invalidZones: {} };
}

/** USER audiences, by sources 1, 2 and 5 where the recipient's clock counts. */
function userGroups({ campaign, project, audience, rules }: Facts): Omit<AudienceGroups, 'warnings'> {
  const placer = new RecipientPlacer(campaign, project, rules);
  const ids = inlineRecipients(campaign, audience);
  let step = ids.next();
  for (; step.done !== true; step = ids.next()) placer.place(step.value.segment, step.value.known);
  for (const { segment, zone, audience: of } of userAudiences(campaign)) {
    if (!('list' in of)) continue;
    for (const group of audience.lists?.[of.list]?.groups ?? []) {
      const given = zone === undefined ? group.known : ({ source: 'given', zone } as const);
      placer.place(segment, given, group.recipients);
    }
  }
  return {
    groups: placer.groups(),
    duplicates: step.value,
    invalidZones: Object.fromEntries(placer.invalidZones),
  };
}

/** Sources 1, 3, 4 and 5 for CHANNEL and ALL: nobody is named, so filters take the place of ids. */
function filterGroups(facts: Facts, segments: readonly Segment[]): Omit<AudienceGroups, 'duplicates'> {
  const { campaign, project, rules } = facts;
  const groups: Group[] = [];
  const invalidZones: Record<string, number> = {};
  for (const [index, { zone, audience }] of segments.entries()) {
    if (audience.type === 'USER') continue;
    const segment = index + 1;
    if (rules.has(zone)) groups.push({ zone, zoneSource: 'given', segment, audience });
    else {
      invalidZones[zone] = (invalidZones[zone] ?? 0) + 1;
      // A request has one target, so it cannot join another's: a fallback cell under its own segment number.
      groups.push({ ...fallback(project.defaultZone, audience), segment, reason: 'INVALID_ZONE' });
    }
  }
  const { audience } = campaign;
  if (audience === null || audience.type === 'USER') return { groups, warnings: [], invalidZones };
  const rest = unsegmented(facts, audience, segments);
  return { groups: [...groups, ...rest.groups], warnings: rest.warnings, invalidZones };
}

/** Sources 3, 4 and 5 for what no segment holds. */
function unsegmented(
  { project, audience: known, rules, now }: Facts,
  whole: Audience,
  segments: readonly Segment[],
): { groups: Group[]; warnings: PlanProblem[] } {
  const taken = segments.flatMap((segment) => segment.audience.country);
  const audience = { ...whole, country: whole.country.filter((country) => !taken.includes(country)) };
  // Segments that took every country leave nobody.
  if (whole.country.length > 0 && audience.country.length === 0) return { groups: [], warnings: [] };

  if (project.extensions.includes('target-timezone') && known.offsets !== undefined) {
    const groups = known.offsets.map(({ offsetSeconds, users }) => ({
      zone: fixedOffsetZone(offsetSeconds),
      zoneSource: 'registered-offset' as const,
      segment: 0,
      audience,
      offsetSeconds,
      recipients: users,
    }));
    return { groups, warnings: [OFFSETS_MOVE] };
  }

  const groups: Group[] = [];
  const warnings: PlanProblem[] = [];
  const left: string[] = [];
  for (const country of audience.country) {
    const found = zoneOfCountry(country, project.principalZones, rules, now);
    if (found.kind === 'zone') {
      groups.push({ zone: found.zone, zoneSource: 'country', segment: 0, audience, onlyCountry: country });
      continue;
    }
    left.push(country);
    warnings.push(found.kind === 'unknown-country' ? unknownCountry(country) : noPrincipalZone(country));
  }
  if (left.length > 0 || audience.country.length === 0) {
    groups.push(fallback(project.defaultZone, { ...audience, country: left }));
  }
  return { groups, warnings };
}

function fallback(zone: string, audience: Audience): Group {
  return { zone, zoneSource: 'fallback', segment: 0, reason: 'ZONE_UNKNOWN', audience };
}

/** The campaign's own audience is left with what segments do not take, so only countries can keep it apart. */
function overlapping(own: Audience | null, segments: readonly Segment[]): PlanProblem | undefined {
  const seen = new OverlapIndex<number>();
  for (const [index, { audience }] of segments.entries()) {
    const earlier = seen.find(audience);
    if (earlier !== undefined) return segmentsOverlap(index, `/delivery/segments/${earlier}`);
    seen.add(audience, index);
    const ownIsLeftApart = own !== null && own.country.length > 0 && audience.country.length > 0;
    if (own !== null && !ownIsLeftApart && overlap(own, audience)) return segmentsOverlap(index, '/audience');
  }
  return undefined;
}

function segmentsOverlap(index: number, other: string): PlanProblem {
  return {
    code: 'SEGMENTS_OVERLAP',
    text: `the segment may reach the same users as ${other}: name other channels, or countries that do not meet`,
    pointer: `/delivery/segments/${index}/audience`,
  };
}

const OFFSETS_MOVE: PlanProblem = {
  code: 'REGISTERED_OFFSETS_MOVE',
  text: 'a user whose registered offset changes between two cells may get both or none',
  pointer: '/delivery/zone',
};

function unknownCountry(country: string): PlanProblem {
  return {
    code: 'UNKNOWN_COUNTRY',
    text: `no zone is known of the country ${country}: it goes by the project's default zone`,
    pointer: '/audience/country',
  };
}

function noPrincipalZone(country: string): PlanProblem {
  return {
    code: 'NO_PRINCIPAL_ZONE',
    text: `${country} has several zones and the project names no principal one: it goes by the project's default zone`,
    pointer: '/audience/country',
  };
}
