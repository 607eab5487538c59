// Checks scheduled data: the shape of each member, and what members of the right shape mean together: one form of delivery,
// zones that exist, dates of the calendar, an audience that says who gets it. Looks nothing up except the zone rules.
import { isLongerThan, lengthOf } from '../../../platform/text-length.js';
import { MAX_USER_ID_LENGTH } from '../../../push-contract/limits.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { parseRecurrence } from '../../decide/recurrence/recurrence-rule.js';
import { floorZone, type PolicyData } from '../../store/policy-data.js';
import {
  MAX_CHANNEL_TO,
  MAX_TO,
  ScheduledData,
  WALL_TIME,
  type AudienceData,
  type DeliveryData,
} from './campaign-event.js';
import { instantOf, isWallTimeOfCalendar, noSuchTime } from './given-times.js';
import { isObject } from './read-json.js';
import { shown } from '../../decide/quote-value.js';
import { reason, type Reason } from './reason.js';
import { nearest } from '../../decide/nearest-name.js';
import { readValue, type ReadValue } from './schema-reasons.js';

/** `data` as it came. */
export function checkScheduled(data: unknown, rules: ZoneRules): ReadValue<ScheduledData> {
  const read = readValue(ScheduledData, data, '/data');
  const members = read.data === undefined ? readableMembers(data) : membersOf(read.data);
  const reasons = [...read.reasons, ...checkMeaning(members, rules)];
  return { data: reasons.length === 0 ? read.data : undefined, reasons };
}

/** A member with the wrong shape is left out: its schema says what is wrong. */
interface Members {
  readonly audience?: AudienceData | null | undefined;
  readonly isAudienceRead: boolean;
  readonly delivery?: DeliveryData | undefined;
  readonly policy?: PolicyData | undefined;
}

function membersOf({ audience, delivery, policy }: ScheduledData): Members {
  return { audience, delivery, policy: policy ?? {}, isAudienceRead: true };
}

/** The members with the right shape, of data that is wrong as a whole. */
function readableMembers(data: unknown): Members {
  if (!isObject(data)) return { isAudienceRead: false };
  const { shape } = ScheduledData;
  const audience = shape.audience.safeParse(data['audience']);
  const policy = shape.policy.safeParse(data['policy']);
  return {
    audience: audience.data,
    delivery: shape.delivery.safeParse(data['delivery']).data,
    ...(policy.success && { policy: policy.data ?? {} }),
    isAudienceRead: audience.success,
  };
}

function checkMeaning({ audience, delivery, policy, isAudienceRead }: Members, rules: ZoneRules): Reason[] {
  // Where the audience has the wrong shape, nobody knows whether it names a country.
  const withoutCountry = isAudienceRead ? audienceWithoutCountry(audience, delivery) : undefined;
  return [
    ...(isAudienceRead ? checkWhoGetsIt(audience, delivery) : []),
    ...(delivery === undefined ? [] : checkDelivery(delivery, rules)),
    ...(policy === undefined ? [] : checkPolicy(policy, withoutCountry, rules)),
  ];
}

function checkWhoGetsIt(audience: Members['audience'], delivery: DeliveryData | undefined): Reason[] {
  const segments = delivery?.segments ?? [];
  const reasons = segments.flatMap((segment, index) =>
    checkAudience(segment.audience, `/data/delivery/segments/${index}/audience`),
  );
  reasons.push(...checkListAlone(audience, segments));
  if (audience) reasons.unshift(...checkAudience(audience, '/data/audience'));
  else if (delivery !== undefined && segments.length === 0) {
    const text = 'is required, unless segments say who gets it, such as {"type":"CHANNEL","to":["vip"]}';
    reasons.push(reason('/data/audience', 'REQUIRED', text));
  }
  const idsOfAudience = audience?.to?.length ?? 0;
  const ids = segments.reduce((sum, segment) => sum + (segment.audience.to?.length ?? 0), idsOfAudience);
  if (ids > MAX_TO && idsOfAudience <= MAX_TO) {
    const text = `audience and segments must have at most ${MAX_TO} ids together, not ${ids}`;
    reasons.push(reason('/data', 'TOO_LONG', text));
  }
  return reasons;
}

/** Who is in a list is not known here: beside segments, somebody might get two messages. */
function checkListAlone(
  audience: Members['audience'],
  segments: NonNullable<DeliveryData['segments']>,
): Reason[] {
  const inSegment = segments.findIndex((segment) => segment.audience.list);
  const isOwn = Boolean(audience?.list) && segments.length > 0;
  if (inSegment < 0 && !isOwn) return [];
  const pointer = isOwn ? '/data/audience/list' : `/data/delivery/segments/${inSegment}/audience/list`;
  const text =
    'a list is the whole audience of a campaign, without segments: give each row of the list its zone, such as user-1,Asia/Seoul';
  return [reason(pointer, 'AUDIENCE_UNCLEAR', text)];
}

function checkAudience(audience: AudienceData, pointer: string): Reason[] {
  const found = checkNamed(audience, pointer) ?? checkLengths(audience, pointer);
  return found === undefined ? [] : [found];
}

/** ALL names nobody, CHANNEL its channels, USER the ids themselves or a list of them. */
function checkNamed({ type, to, list }: AudienceData, pointer: string): Reason | undefined {
  const given = [to && 'to', list && 'list'].filter(Boolean);
  if (type === 'ALL') {
    if (given.length === 0) return undefined;
    const text = `type ALL reaches everybody: leave out ${given.join(' and ')}, or give another type, such as {"type":"USER","to":["user-1"]}`;
    return reason(pointer, 'AUDIENCE_UNCLEAR', text);
  }
  if (type === 'CHANNEL' && list) {
    const text = 'a list holds users: its type is USER, such as {"type":"USER","list":"vip-2027"}';
    return reason(`${pointer}/list`, 'AUDIENCE_UNCLEAR', text);
  }
  if (given.length === 2) {
    const text = 'give to or list, not both, such as {"type":"USER","to":["user-1"]}';
    return reason(pointer, 'AUDIENCE_UNCLEAR', text);
  }
  if (given.length > 0) return undefined;
  const example = shown(type === 'CHANNEL' ? ['vip'] : ['user-1']);
  return reason(`${pointer}/to`, 'REQUIRED', `is required with type ${type}, such as ${example}`);
}

function checkLengths({ type, to }: AudienceData, pointer: string): Reason | undefined {
  if (!to) return undefined;
  if (type === 'CHANNEL' && to.length > MAX_CHANNEL_TO) {
    const text = `must have at most ${MAX_CHANNEL_TO} channels, not ${to.length}`;
    return reason(`${pointer}/to`, 'TOO_LONG', text);
  }
  const index = type === 'USER' ? to.findIndex((id) => isLongerThan(id, MAX_USER_ID_LENGTH)) : -1;
  if (index < 0) return undefined;
  const text = `must have at most ${MAX_USER_ID_LENGTH} characters, not ${lengthOf(to[index] ?? '')}`;
  return reason(`${pointer}/to/${index}`, 'TOO_LONG', text);
}

function checkDelivery(delivery: DeliveryData, rules: ZoneRules): Reason[] {
  const { at, zone, scheduleCode, until, recurrence } = delivery;
  const reasons = checkForm(delivery);
  if (scheduleCode && until && Number.isNaN(instantOf(until)))
    reasons.push(noSuchTime('/data/delivery/until', until));
  if (!at) return reasons;
  reasons.push(...checkAt(at, zone));
  const rule = recurrence ? parseRecurrence(recurrence) : undefined;
  if (rule?.kind === 'refused') {
    reasons.push(reason('/data/delivery/recurrence', 'INVALID_RECURRENCE', rule.reason));
  }
  // A zone beside an offset is refused already, whatever zone it is.
  if (zone && zone !== 'recipient' && WALL_TIME.test(at))
    reasons.push(...checkZone(zone, '/data/delivery/zone', rules));
  return reasons;
}

const AT_EXAMPLE = '{"at":"2027-03-01T09:00","zone":"recipient"}';

/** One form of delivery, and with it only the members that belong to it. */
function checkForm({ now, at, zone, scheduleCode, until, recurrence, segments }: DeliveryData): Reason[] {
  const forms = [now && 'now', at && 'at', scheduleCode && 'scheduleCode'].filter(Boolean);
  if (forms.length !== 1) {
    const found = forms.length === 0 ? 'none is given' : `${forms.join(' and ')} are given`;
    const text = `exactly one of now, at and scheduleCode is taken, such as ${AT_EXAMPLE}: ${found}`;
    return [reason('/data/delivery', 'DELIVERY_UNCLEAR', text)];
  }
  // For a wall time without a zone, checkAt() reports the missing zone.
  const lacksZone = typeof at === 'string' && WALL_TIME.test(at) && !zone;
  const strays = [
    ['zone', zone, 'at', at, AT_EXAMPLE],
    ['recurrence', recurrence, 'at', at, AT_EXAMPLE],
    ['segments', segments, 'zone "recipient"', zone === 'recipient' || lacksZone, AT_EXAMPLE],
    ['until', until, 'scheduleCode', scheduleCode, '{"scheduleCode":"WEEKLY-NEWS"}'],
  ] as const;
  return strays
    .filter(([, given, , present]) => given && !present)
    .map(([member, , partner, , example]) => {
      const text = `means something only with ${partner}, such as ${example}: leave it out, or give that`;
      return reason(`/data/delivery/${member}`, 'DELIVERY_UNCLEAR', text);
    });
}

function checkAt(at: string, zone: string | null | undefined): Reason[] {
  const pointer = '/data/delivery/at';
  if (WALL_TIME.test(at)) {
    const reasons = isWallTimeOfCalendar(at) ? [] : [noSuchTime(pointer, at)];
    if (!zone) {
      const text = `${shown(at)} is a wall time: name its zone beside it, such as "zone": "Asia/Seoul" or "zone": "recipient", or give its offset, such as ${shown(`${at}Z`)}`;
      reasons.push(reason(pointer, 'ZONE_MISSING', text));
    }
    return reasons;
  }
  if (zone) {
    const wall = at.replace(/(\.\d+)?(Z|[+-]\d\d:\d\d)$/i, '');
    const text = `${shown(at)} has an offset, and a zone stands beside it: leave out the zone, or the offset, such as ${shown(wall)}`;
    return [reason(pointer, 'DELIVERY_UNCLEAR', text)];
  }
  return Number.isNaN(instantOf(at)) ? [noSuchTime(pointer, at)] : [];
}

/** The zones of segments are not checked: an invalid one joins the fallback cell (planning.md §2). */
function checkZone(zone: string, pointer: string, rules: ZoneRules): Reason[] {
  if (rules.has(zone)) return [];
  // Only names of places are suggested: KST is not a typing error for EST, and nobody knows which zone an abbreviation means.
  const places = rules.names().filter((name) => name.includes('/'));
  const isOffset = /^(?:UTC|GMT)?[+-]\d{1,2}(?::?\d\d)?$/i.test(zone);
  const taken = isOffset
    ? 'an offset belongs to at, such as "2027-03-01T09:00+09:00", and a zone is a place'
    : 'give the name of a place';
  const text = `${shown(zone)} is no IANA time zone${nearest(zone, places)}; ${taken}, such as "Asia/Seoul" or "America/New_York"`;
  return [reason(pointer, 'ZONE_UNKNOWN', text)];
}

/** The pointer to the first audience, own or of a segment, that names no country. */
function audienceWithoutCountry(
  audience: Members['audience'],
  delivery: DeliveryData | undefined,
): string | undefined {
  if (audience && !audience.country?.length) return '/data/audience';
  const segments = delivery?.segments ?? [];
  const index = segments.findIndex((segment) => !segment.audience.country?.length);
  return index === -1 ? undefined : `/data/delivery/segments/${index}/audience`;
}

function checkPolicy(policy: PolicyData, withoutCountry: string | undefined, rules: ZoneRules): Reason[] {
  const reasons: Reason[] = [];
  const floor = floorZone(policy);
  if (floor !== undefined) reasons.push(...checkZone(floor, '/data/policy/passedZone', rules));
  const { quietHours } = policy;
  if (typeof quietHours === 'object' && quietHours !== null && quietHours.start === quietHours.end) {
    const text = 'must differ from start, such as "08:00" after "21:00"';
    reasons.push(reason('/data/policy/quietHours/end', 'WRONG_VALUE', text));
  }
  if (policy.split?.includes('country') && withoutCountry !== undefined) {
    const text = 'is required to split by country, such as ["KR","US"]';
    reasons.push(reason(`${withoutCountry}/country`, 'REQUIRED', text));
  }
  return reasons;
}
