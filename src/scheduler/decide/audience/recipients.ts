// USER ids and the cells they belong to (planning.md §2, sources 1, 2 and 5): which ids there are, and where each goes.
// Ids stream through; none is held.
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { segmentsOf, type Audience, type Campaign } from '../plan/campaign.js';
import type {
  AudienceFacts,
  KnownZone,
  ListGroup,
  PlacedRecipients,
  PlanningProject,
} from '../plan/plan-types.js';
import { homeOf, type Group } from './recipient-group.js';
import { fixedOffsetZone } from './zone-by-name.js';

type UserAudience = Extract<Audience, { type: 'USER' }>;

/** An id, the segment that holds it (0 for none) and its zone where that is known. */
export interface Recipient {
  readonly userId: string;
  readonly segment: number;
  readonly known: KnownZone | undefined;
}

/** Where a recipient goes: a group without its count. Equal places are the same object. */
export type Place = Omit<Group, 'recipients'>;

interface CountedPlace {
  readonly place: Place;
  recipients: number;
}

/** Puts recipients into places, and counts them. Each planning of a campaign with USER audiences has a placer of its own. */
export class RecipientPlacer {
  readonly #places = new Map<string, CountedPlace>();
  /** The same places, keyed by the facts about a recipient: this one look-up places most ids. */
  readonly #byZone = new Map<string, CountedPlace>();
  /** Names that are no zones → the number of recipients given each. */
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
    let counted = this.#byZone.get(memo);
    if (counted === undefined) {
      counted = this.#shared(this.#placeOf(segment, known, zone));
      this.#byZone.set(memo, counted);
    }
    counted.recipients += count;
    if (counted.place.reason === 'INVALID_ZONE' && known !== undefined && 'zone' in known) {
      this.invalidZones.set(zone, (this.invalidZones.get(zone) ?? 0) + count);
    }
    return counted.place;
  }

  /** The place in which recipients were planned before. */
  placeAgain({ zone, zoneSource, segment, recipients }: PlacedRecipients): Place {
    // Where only segments name users, those of none share the fallback of the first.
    const [first] = userAudiences(this.campaign);
    const isOfFirst = segment === 0 && this.campaign.audience === null && first !== undefined;
    const audience = isOfFirst ? first.audience : this.#audienceOf(segment);
    const reason = zoneSource === 'fallback' ? ({ reason: 'ZONE_UNKNOWN' } as const) : {};
    const counted = this.#shared({ zone, zoneSource, segment, audience, ...reason });
    counted.recipients += recipients;
    return counted.place;
  }

  /** Every place so far with its count. */
  groups(): Group[] {
    return [...this.#places.values()].map(({ place, recipients }) => ({ ...place, recipients }));
  }

  #placeOf(segment: number, known: KnownZone | undefined, zone: string): Place {
    const audience = this.#audienceOf(segment);
    const { delivery } = this.campaign;
    if (delivery.kind !== 'recipient') return { ...homeOf(delivery, this.project), segment: 0, audience };
    if (known !== undefined && (known.source === 'registered-offset' || this.rules.has(zone)))
      return { zone, zoneSource: known.source, segment, audience };
    return {
      zone: this.project.defaultZone,
      zoneSource: 'fallback',
      segment: this.#sharesFallback(audience) ? 0 : segment,
      reason: known === undefined ? 'ZONE_UNKNOWN' : 'INVALID_ZONE',
      audience,
    };
  }

  #shared(place: Place): CountedPlace {
    const key = `${place.zone}|${place.zoneSource}|${place.segment}`;
    const counted = this.#places.get(key) ?? { place, recipients: 0 };
    this.#places.set(key, counted);
    return counted;
  }

  #audienceOf(segment: number): UserAudience {
    const { delivery, audience } = this.campaign;
    const found = segment === 0 ? audience : segmentsOf(delivery)[segment - 1]?.audience;
    if (found?.type !== 'USER') throw new TypeError(`segment ${segment} has no USER audience`);
    return found;
  }

  /** All fallback recipients share one cell, but a request has one filter: a segment with other filters keeps its own cell. */
  #sharesFallback({ deviceType, country }: UserAudience): boolean {
    const main = this.campaign.audience;
    return (
      (main === null || main.type === 'USER') &&
      (main?.deviceType ?? null) === deviceType &&
      (main?.country ?? []).toSorted().join() === country.toSorted().join()
    );
  }
}

/** Every USER audience of a campaign with its segment's number; 0 is the campaign's own. */
export function userAudiences({
  delivery,
  audience,
}: Campaign): { segment: number; zone?: string; audience: UserAudience }[] {
  return [
    ...segmentsOf(delivery).map((segment, index) => ({ ...segment, segment: index + 1 })),
    { segment: 0, audience },
  ].flatMap((one) => (one.audience?.type === 'USER' ? [{ ...one, audience: one.audience }] : []));
}

/** The groups of ids of every list that a campaign goes to, with the number of the segment that names it. */
export function* listedGroups(
  campaign: Campaign,
  facts: Pick<AudienceFacts, 'lists'>,
): Generator<{ readonly segment: number; readonly group: ListGroup }, void, void> {
  for (const { segment, zone, audience } of userAudiences(campaign)) {
    if (!('list' in audience)) continue;
    for (const group of facts.lists?.[audience.list]?.groups ?? []) {
      const known = zone === undefined ? group.known : ({ source: 'given', zone } as const);
      yield { segment, group: { ...group, known } };
    }
  }
}

/**
 * The ids that an event itself carries, each once (the first segment that names it wins), with their zones. Returns how
 * many repeats it left out. The caller reads the ids of uploaded lists, which have no repeats.
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
