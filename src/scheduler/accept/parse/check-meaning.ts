// Scheduled data: the shape of each part, and what the parts mean together where their own shapes are right: one form of
// delivery, zones that exist, dates that a calendar has, an audience that says whom. Looks nothing up but the zone rules.
import { MAX_USER_ID_LENGTH } from '../../../push-contract/limits.js';
import { policyDefaults } from '../../decide/timing/policy.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import { parseRecurrence } from '../../decide/recurrence/recurrence-rule.js';
import { floorZone, overlay, PolicyData } from '../../store/policy-data.js';
import {
  AudienceData,
  DeliveryData,
  MAX_CHANNEL_TO,
  MAX_TO,
  ScheduledData,
  WALL_TIME,
} from './campaign-event.js';
import { instantOf, isWallTimeOfCalendar, noSuchTime } from './given-times.js';
import { audienceNotOffered, policyNotOffered } from './not-yet-offered.js';
import { isObject } from './read-envelope.js';
import { shown } from '../../decide/shown-value.js';
import { reason, type Reason } from './reason.js';
import { nearest, readValue, type ReadValue } from './schema-reasons.js';

/** `data` as it came. */
export function checkScheduled(data: unknown, rules: ZoneRules): ReadValue<ScheduledData> {
  const read = readValue(ScheduledData, data, '/data');
  const parts = read.data === undefined ? partsOf(data) : partsIn(read.data);
  const reasons = [...read.reasons, ...checkMeaning(parts, rules)];
  return { data: reasons.length === 0 ? read.data : undefined, reasons };
}

/** A part whose shape is wrong is passed over here, its schema tells why. */
interface Parts {
  readonly audience?: AudienceData | null | undefined;
  readonly isAudienceRead: boolean;
  readonly delivery?: DeliveryData | undefined;
  readonly policy?: PolicyData | undefined;
}

function partsIn({ audience, delivery, policy }: ScheduledData): Parts {
  return { audience, delivery, policy: policy ?? {}, isAudienceRead: true };
}

const GivenAudience = AudienceData.nullish();
const GivenPolicy = PolicyData.nullish();

/** Of data that is not as it must be. */
function partsOf(data: unknown): Parts {
  if (!isObject(data)) return { isAudienceRead: false };
  const audience = GivenAudience.safeParse(data['audience']);
  const policy = GivenPolicy.safeParse(data['policy']);
  return {
    audience: audience.data,
    delivery: DeliveryData.safeParse(data['delivery']).data,
    ...(policy.success && { policy: policy.data ?? {} }),
    isAudienceRead: audience.success,
  };
}

function checkMeaning({ audience, delivery, policy, isAudienceRead }: Parts, rules: ZoneRules): Reason[] {
  // Of an audience that is missing or of no form it is not known whether it names any.
  const namesNoCountry = (audience || delivery?.segments) && !audience?.country?.length;
  return [
    ...(isAudienceRead ? checkWhoGetsIt(audience ?? undefined, delivery) : []),
    ...(delivery === undefined ? [] : checkDelivery(delivery, rules)),
    ...(policy === undefined ? [] : checkPolicy(policy, isAudienceRead && Boolean(namesNoCountry), rules)),
  ];
}

function checkWhoGetsIt(audience: AudienceData | undefined, delivery: DeliveryData | undefined): Reason[] {
  const segments = delivery?.segments ?? [];
  const reasons = segments.flatMap((segment, index) =>
    checkAudience(segment.audience, `/data/delivery/segments/${index}/audience`),
  );
  if (audience !== undefined) reasons.unshift(...checkAudience(audience, '/data/audience'));
  else if (delivery !== undefined && segments.length === 0) {
    const text = 'is required, unless segments say who gets it, such as {"type":"CHANNEL","to":["vip"]}';
    reasons.push(reason('/data/audience', 'REQUIRED', text));
  }
  const ids = [audience, ...segments.map((segment) => segment.audience)].reduce(
    (sum, part) => sum + (part?.to?.length ?? 0),
    0,
  );
  if (ids > MAX_TO && (audience?.to?.length ?? 0) <= MAX_TO) {
    reasons.push(
      reason(
        '/data',
        'TOO_LONG',
        `audience and segments must have at most ${MAX_TO} ids together, not ${ids}`,
      ),
    );
  }
  return reasons;
}

function checkAudience(audience: AudienceData, pointer: string): Reason[] {
  const notOffered = audienceNotOffered(audience, pointer);
  if (notOffered.length > 0) return notOffered;
  const unclear = checkNamed(audience, pointer);
  return unclear.length > 0 ? unclear : checkLengths(audience, pointer);
}

/** ALL names nobody, CHANNEL its channels, USER the ids themselves or a list of them. */
function checkNamed({ type, to, list }: AudienceData, pointer: string): Reason[] {
  const given = [to && 'to', list && 'list'].filter(Boolean);
  const unclear = (at: string, text: string): Reason[] => [reason(at, 'AUDIENCE_UNCLEAR', text)];
  if (type === 'ALL') {
    if (given.length === 0) return [];
    return unclear(
      pointer,
      `type ALL reaches everybody: leave out ${given.join(' and ')}, or give another type, such as {"type":"USER","to":["user-1"]}`,
    );
  }
  if (type === 'CHANNEL' && list)
    return unclear(
      `${pointer}/list`,
      'a list holds users: its type is USER, such as {"type":"USER","list":"vip-2027"}',
    );
  if (given.length === 2)
    return unclear(pointer, 'give to or list, not both, such as {"type":"USER","to":["user-1"]}');
  const example = type === 'CHANNEL' ? ['vip'] : ['user-1'];
  return given.length > 0
    ? []
    : [reason(`${pointer}/to`, 'REQUIRED', `is required with type ${type}, such as ${shown(example)}`)];
}

function checkLengths({ type, to }: AudienceData, pointer: string): Reason[] {
  const tooLong = (at: string, most: string): Reason[] => [
    reason(at, 'TOO_LONG', `must have at most ${most}`),
  ];
  if (type === 'CHANNEL' && to && to.length > MAX_CHANNEL_TO) {
    return tooLong(`${pointer}/to`, `${MAX_CHANNEL_TO} channels, not ${to.length}`);
  }
  const index = type === 'USER' && to ? to.findIndex((id) => id.length > MAX_USER_ID_LENGTH) : -1;
  const length = to?.[index]?.length ?? 0;
  return index < 0
    ? []
    : tooLong(`${pointer}/to/${index}`, `${MAX_USER_ID_LENGTH} characters, not ${length}`);
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
  // Beside an offset it is one too many, whatever it is.
  if (zone && zone !== 'recipient' && WALL_TIME.test(at))
    reasons.push(...checkZone(zone, '/data/delivery/zone', rules));
  return reasons;
}

const AT_EXAMPLE = '{"at":"2027-03-01T09:00","zone":"recipient"}';

/** One form of delivery, and beside it only what belongs to it. */
function checkForm({ now, at, zone, scheduleCode, until, recurrence, segments }: DeliveryData): Reason[] {
  const forms = [now && 'now', at && 'at', scheduleCode && 'scheduleCode'].filter(Boolean);
  if (forms.length !== 1) {
    const found = forms.length === 0 ? 'none is given' : `${forms.join(' and ')} are given`;
    const text = `exactly one of now, at and scheduleCode is taken, such as ${AT_EXAMPLE}: ${found}`;
    return [reason('/data/delivery', 'DELIVERY_UNCLEAR', text)];
  }
  // Of a wall time without a zone it is said that the zone is missing.
  const isOpen = at !== undefined && at !== null && WALL_TIME.test(at) && !zone;
  const strays = [
    ['zone', zone, 'at', at, AT_EXAMPLE],
    ['recurrence', recurrence, 'at', at, AT_EXAMPLE],
    ['segments', segments, 'zone "recipient"', zone === 'recipient' || isOpen, AT_EXAMPLE],
    ['until', until, 'scheduleCode', scheduleCode, '{"scheduleCode":"WEEKLY-NEWS"}'],
  ] as const;
  return strays
    .filter(([, given, , present]) => given && !present)
    .map(([member, , partner, , example]) =>
      reason(
        `/data/delivery/${member}`,
        'DELIVERY_UNCLEAR',
        `means something only with ${partner}, such as ${example}: leave it out, or give that`,
      ),
    );
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
    const wall = at.replace(/(\.\d+)?(Z|[+-]\d\d:\d\d)$/, '');
    const text = `${shown(at)} has an offset, and a zone stands beside it: leave out the zone, or the offset, such as ${shown(wall)}`;
    return [reason(pointer, 'DELIVERY_UNCLEAR', text)];
  }
  return Number.isNaN(instantOf(at)) ? [noSuchTime(pointer, at)] : [];
}

/** Zones inside segments are not judged: an invalid one joins the fallback cell (planning.md §2). */
function checkZone(zone: string, pointer: string, rules: ZoneRules): Reason[] {
  if (rules.has(zone)) return [];
  // KST is not a slip for EST: of abbreviations nobody knows which was meant.
  const places = rules.names().filter((name) => name.includes('/'));
  const isOffset = /^(?:UTC|GMT)?[+-]\d{1,2}(?::?\d\d)?$/i.test(zone);
  const taken = isOffset
    ? 'an offset stands behind at, such as "2027-03-01T09:00+09:00", and a zone is a place'
    : 'taken is the name of a place';
  const text = `${shown(zone)} is no IANA time zone${nearest(zone, places)}; ${taken}, such as "Asia/Seoul" or "America/New_York"`;
  return [reason(pointer, 'ZONE_UNKNOWN', text)];
}

function checkPolicy(policy: PolicyData, namesNoCountry: boolean, rules: ZoneRules): Reason[] {
  const reasons = policyNotOffered(overlay(policyDefaults, policy));
  const floor = floorZone(policy);
  if (floor !== undefined) reasons.push(...checkZone(floor, '/data/policy/passedZone', rules));
  const { quietHours } = policy;
  if (typeof quietHours === 'object' && quietHours !== null && quietHours.start === quietHours.end) {
    const text = 'must differ from start, such as "08:00" after "21:00"';
    reasons.push(reason('/data/policy/quietHours/end', 'WRONG_VALUE', text));
  }
  if (policy.split?.includes('country') && namesNoCountry) {
    const text = 'is required to split by country, such as ["KR","US"]';
    reasons.push(reason('/data/audience/country', 'REQUIRED', text));
  }
  return reasons;
}
