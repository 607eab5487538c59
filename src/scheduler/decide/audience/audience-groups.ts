// Who a campaign reaches, by zone (planning.md §2): groups of recipients from segments, directory, registered offsets,
// countries and, for what is left, the fallback. No time is decided here.
import type { Audience, Segment } from '../plan/campaign.js';
import { zoneOfCountry } from './country-zones.js';
import { homeOf, type Group } from './groups.js';
import { collides, subtractSegments } from '../timing/subtract-segments.js';
import { OverlapIndex } from '../timing/overlap.js';
import type { PlanInput, PlanProblem, PlanWarning } from '../plan/plan-types.js';
import { inlineRecipients, RecipientPlacer, userAudiences } from './recipients.js';
import { fixedOffsetZone } from './zones.js';

export interface AudienceGroups {
  readonly groups: readonly Group[];
  readonly warnings: readonly PlanWarning[];
  readonly refusal?: PlanProblem;
  /** USER ids named more than once. */
  readonly duplicates: number;
  /** Zones that are none → recipients, or 1 for a segment without ids. */
  readonly invalidZones: Readonly<Record<string, number>>;
}

interface InvalidZones {
  readonly invalidZones: ReadonlyMap<string, number>;
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
    // Entries, for a zone may be called `__proto__`.
    invalidZones: Object.fromEntries([...others.invalidZones, ...users.invalidZones]),
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
  if (audience.type === 'USER') return { ...userGroups(facts), invalidZones: {}, warnings: [] };
  const groups = [{ ...homeOf(delivery, project), segment: 0, audience }];
  return { groups, warnings: [], duplicates: 0, invalidZones: {} };
}

/** USER audiences, by sources 1, 2 and 5 where the recipient's clock counts. */
function userGroups({
  campaign,
  project,
  audience,
  rules,
}: Facts): Pick<AudienceGroups, 'groups' | 'duplicates'> & InvalidZones {
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
    invalidZones: placer.invalidZones,
  };
}

/** Sources 1, 3, 4 and 5 for CHANNEL and ALL: nobody is named, so filters take the place of ids. */
function filterGroups(
  facts: Facts,
  segments: readonly Segment[],
): Pick<AudienceGroups, 'groups' | 'warnings'> & InvalidZones {
  const { campaign, project, rules } = facts;
  const groups: Group[] = [];
  const invalidZones = new Map<string, number>();
  for (const [index, { zone, audience }] of segments.entries()) {
    if (audience.type === 'USER') continue;
    const segment = index + 1;
    if (rules.has(zone)) groups.push({ zone, zoneSource: 'given', segment, audience });
    else {
      invalidZones.set(zone, (invalidZones.get(zone) ?? 0) + 1);
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
  whole: Exclude<Audience, { type: 'USER' }>,
  segments: readonly Segment[],
): { groups: Group[]; warnings: PlanWarning[] } {
  const parts = subtractSegments(
    whole,
    segments.map((segment) => segment.audience),
  );
  const cells = parts.flatMap((part) => oneTarget(part, parts.length));

  if (project.extensions.includes('target-timezone') && known.offsets !== undefined) {
    const groups = known.offsets.flatMap(({ offsetSeconds, users }) =>
      cells.map((cell) => ({
        zone: fixedOffsetZone(offsetSeconds),
        zoneSource: 'registered-offset' as const,
        segment: 0,
        ...cell,
        offsetSeconds,
        // The count is of the offset, not of a country in it.
        ...(cell.onlyCountry === undefined ? { recipients: users } : {}),
      })),
    );
    return { groups, warnings: [OFFSETS_MOVE] };
  }

  const groups: Group[] = [];
  const warnings: PlanWarning[] = [];
  for (const audience of parts) {
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
    if (left.length === 0 && audience.country.length > 0) continue;
    for (const cell of oneTarget({ ...audience, country: left }, parts.length)) {
      groups.push({ ...fallback(project.defaultZone, cell.audience), ...cell });
    }
  }
  return { groups, warnings };
}

/** One cell has one target: parts that differ in their channels are told apart by a cell for each country. */
function oneTarget(audience: Audience, parts: number): Pick<Group, 'audience' | 'onlyCountry'>[] {
  return parts === 1
    ? [{ audience }]
    : audience.country.map((country) => ({ audience, onlyCountry: country }));
}

function fallback(zone: string, audience: Audience): Group {
  return { zone, zoneSource: 'fallback', segment: 0, reason: 'ZONE_UNKNOWN', audience };
}

/** Segments may not meet each other, nor the campaign's own audience but by taking a part of it. */
function overlapping(own: Audience | null, segments: readonly Segment[]): PlanProblem | undefined {
  const seen = new OverlapIndex<number>();
  for (const [index, { audience }] of segments.entries()) {
    const earlier = seen.find(audience);
    if (earlier !== undefined) return segmentsOverlap(index, `/delivery/segments/${earlier}`);
    seen.add(audience, index);
    if (own !== null && collides(own, audience)) return segmentsOverlap(index, '/audience');
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

const OFFSETS_MOVE: PlanWarning = {
  code: 'REGISTERED_OFFSETS_MOVE',
  text: 'a user whose registered offset changes between two cells may get both or none',
  pointer: '/delivery/zone',
};

function unknownCountry(country: string): PlanWarning {
  return {
    code: 'UNKNOWN_COUNTRY',
    text: `no zone is known of the country ${country}: it goes by the project's default zone`,
    pointer: '/audience/country',
  };
}

function noPrincipalZone(country: string): PlanWarning {
  return {
    code: 'NO_PRINCIPAL_ZONE',
    text: `${country} has several zones and the project names no principal one: it goes by the project's default zone`,
    pointer: '/audience/country',
  };
}
