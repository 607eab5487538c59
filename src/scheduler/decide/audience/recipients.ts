// USER ids and the cells they belong to (planning.md §2, sources 1, 2 and 5): which ids there are, where each goes, and
// the requests they fill. Ids stream through; only one unfinished request for each cell is ever held.
import type { Audience, Campaign } from '../plan/campaign.js';
import { homeOf, type Group } from './groups.js';
import type { AudienceFacts, KnownZone, PlanningProject } from '../plan/plan-types.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { fixedOffsetZone } from './zones.js';

type UserAudience = Extract<Audience, { type: 'USER' }>;

/** One id, the segment that holds it (0: none) and its zone where anybody knows one. */
export interface Recipient {
  readonly userId: string;
  readonly segment: number;
  readonly known: KnownZone | undefined;
}

/** Where a recipient goes: a group without its count. Equal places are the same object. */
export type Place = Omit<Group, 'recipients'>;

/** Puts recipients into places, and counts them. One for each planning of a campaign with USER audiences. */
export class RecipientPlacer {
  readonly #places = new Map<string, { place: Place; recipients: number }>();
  readonly #byZone = new Map<string, { place: Place; recipients: number }>();
  /** Zones that are none, with how many recipients had each. */
  readonly invalidZones = new Map<string, number>();

  constructor(
    private readonly campaign: Campaign,
    private readonly project: Pick<PlanningProject, 'defaultZone'>,
    private readonly rules: ZoneRules,
  ) {}

  /** The place of `count` recipients of a segment who share a known zone. */
  place(segment: number, given: KnownZone | undefined, count = 1): Place {
    const known = this.campaign.delivery.kind === 'recipient' ? given : undefined;
    const zone =
      known === undefined ? '' : 'zone' in known ? known.zone : fixedOffsetZone(known.offsetSeconds);
    const memo = `${segment}|${known?.source ?? ''}|${zone}`;
    let entry = this.#byZone.get(memo);
    if (entry === undefined) {
      entry = this.#entryFor(segment, known, zone);
      this.#byZone.set(memo, entry);
    }
    entry.recipients += count;
    if (entry.place.reason === 'INVALID_ZONE' && known !== undefined && 'zone' in known) {
      this.invalidZones.set(zone, (this.invalidZones.get(zone) ?? 0) + count);
    }
    return entry.place;
  }

  /** Every place so far with its count. */
  groups(): Group[] {
    return [...this.#places.values()].map(({ place, recipients }) => ({ ...place, recipients }));
  }

  #entryFor(
    segment: number,
    known: KnownZone | undefined,
    zone: string,
  ): { place: Place; recipients: number } {
    const audience = this.#audienceOf(segment);
    const { delivery } = this.campaign;
    if (delivery.kind !== 'recipient') {
      return this.#shared({ ...homeOf(delivery, this.project), segment: 0, audience });
    }
    if (known !== undefined && (known.source === 'registered-offset' || this.rules.has(zone))) {
      return this.#shared({ zone, zoneSource: known.source, segment, audience });
    }
    return this.#shared({
      zone: this.project.defaultZone,
      zoneSource: 'fallback',
      segment: this.#fallbackSegment(segment),
      reason: known === undefined ? 'ZONE_UNKNOWN' : 'INVALID_ZONE',
      audience,
    });
  }

  #shared(place: Place): { place: Place; recipients: number } {
    const key = `${place.zone}|${place.zoneSource}|${place.segment}`;
    const existing = this.#places.get(key);
    if (existing !== undefined) return existing;
    const entry = { place, recipients: 0 };
    this.#places.set(key, entry);
    return entry;
  }

  #audienceOf(segment: number): UserAudience {
    const { delivery, audience } = this.campaign;
    const segments = delivery.kind === 'recipient' ? (delivery.segments ?? []) : [];
    const of = segment === 0 ? audience : segments[segment - 1]?.audience;
    if (of?.type !== 'USER') throw new TypeError(`segment ${segment} has no USER audience`);
    return of;
  }

  /** All that is left shares one cell; a segment with filters of its own keeps its own, for a request has one filter. */
  #fallbackSegment(segment: number): number {
    if (segment === 0) return 0;
    const { deviceType, country } = this.#audienceOf(segment);
    const main = this.campaign.audience;
    const sameFilters =
      (main === null || main.type === 'USER') &&
      (main?.deviceType ?? null) === deviceType &&
      [...(main?.country ?? [])].sort().join() === [...country].sort().join();
    return sameFilters ? 0 : segment;
  }
}

/** Every USER audience of a campaign with its segment's number; 0 is the campaign's own. */
export function userAudiences(
  campaign: Campaign,
): { segment: number; zone?: string; audience: UserAudience }[] {
  const { delivery, audience } = campaign;
  const segments = delivery.kind === 'recipient' ? (delivery.segments ?? []) : [];
  const all = [
    ...segments.map(({ zone, audience: of }, index) => ({ segment: index + 1, zone, audience: of })),
    ...(audience === null ? [] : [{ segment: 0, audience }]),
  ];
  return all.flatMap((entry) =>
    entry.audience.type === 'USER' ? [{ ...entry, audience: entry.audience }] : [],
  );
}

/**
 * The ids an event carries itself, each once (the first segment that names it wins), with their zones. Returns how many
 * repeats it left out. Ids of uploaded lists are read by the caller, who has them without repeats.
 */
export function* inlineRecipients(
  campaign: Campaign,
  facts: AudienceFacts,
): Generator<Recipient, number, void> {
  const seen = new Set<string>();
  let named = 0;
  const onRecipientClock = campaign.delivery.kind === 'recipient';
  for (const { segment, zone, audience } of userAudiences(campaign)) {
    if (!('to' in audience)) continue;
    for (const userId of audience.to) {
      named += 1;
      if (seen.has(userId)) continue;
      seen.add(userId);
      const given = zone === undefined ? undefined : ({ source: 'given', zone } as const);
      yield { userId, segment, known: given ?? (onRecipientClock ? facts.zoneOf(userId) : undefined) };
    }
  }
  return named - seen.size;
}

/** Ids of one request, in the order they came; chunk n of a place always follows chunk n − 1. */
export interface RecipientChunk {
  readonly place: Place;
  readonly chunk: number;
  readonly to: readonly string[];
}

/** Fills requests of at most `maxTo` ids as recipients stream by: memory is bounded by places × maxTo. */
export function* chunkRecipients(
  recipients: Iterable<Recipient>,
  placer: RecipientPlacer,
  maxTo: number,
): Generator<RecipientChunk, void, void> {
  const open = new Map<Place, { chunk: number; to: string[] }>();
  for (const { userId, segment, known } of recipients) {
    const place = placer.place(segment, known);
    let filling = open.get(place);
    if (filling === undefined) open.set(place, (filling = { chunk: 0, to: [] }));
    filling.to.push(userId);
    if (filling.to.length < maxTo) continue;
    yield { place, chunk: filling.chunk, to: filling.to };
    open.set(place, { chunk: filling.chunk + 1, to: [] });
  }
  for (const [place, { chunk, to }] of open) if (to.length > 0) yield { place, chunk, to };
}
