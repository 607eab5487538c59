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
  INSTANT,
  MAX_CHANNEL_TO,
  MAX_TO,
  ScheduledData,
  WALL_TIME,
} from './campaign-event.js';
import { instantOf, isWallTimeOfCalendar, noSuchTime } from './given-times.js';
import { audienceNotOffered, policyNotOffered } from './not-yet-offered.js';
import { isObject } from './read-envelope.js';
import { reason, shown, type Reason } from './reason.js';
import { nearest, schemaReasons } from './schema-reasons.js';

/** `data` as it came. */
export function checkScheduled(data: unknown, rules: ZoneRules): Reason[] {
  const meaning = isObject(data) ? checkMeaning(data, rules) : [];
  return [...schemaReasons(ScheduledData, data, '/data'), ...meaning];
}

/** A part whose shape is wrong is passed over here, its schema tells why. */
function checkMeaning(data: Readonly<Record<string, unknown>>, rules: ZoneRules): Reason[] {
  const delivery = DeliveryData.safeParse(data['delivery']).data;
  const policy = PolicyData.safeParse(data['policy'] ?? {}).data;
  const audience = AudienceData.nullish().safeParse(data['audience']);
  return [
    ...(audience.success ? checkWhoGetsIt(audience.data ?? undefined, delivery) : []),
    ...(delivery === undefined ? [] : checkDelivery(delivery, rules)),
    ...(policy === undefined ? [] : checkPolicy(policy, audience.data ?? undefined, rules)),
  ];
}

function checkWhoGetsIt(audience: AudienceData | undefined, delivery: DeliveryData | undefined): Reason[] {
  const segments = delivery?.segments ?? [];
  const reasons = segments.flatMap((segment, index) =>
    checkAudience(segment.audience, `/data/delivery/segments/${index}/audience`),
  );
  if (audience !== undefined) reasons.unshift(...checkAudience(audience, '/data/audience'));
  else if (delivery !== undefined && segments.length === 0) {
    reasons.push(reason('/data/audience', 'REQUIRED', 'is required, unless segments say who gets it'));
  }
  const ids = [audience, ...segments.map((segment) => segment.audience)].reduce(
    (sum, part) => sum + (part?.to?.length ?? 0),
    0,
  );
  if (ids > MAX_TO && (audience?.to?.length ?? 0) <= MAX_TO) {
    reasons.push(
      reason('/data', 'TOO_LONG', `audience and segments name ${ids} ids together, of at most ${MAX_TO}`),
    );
  }
  return reasons;
}

function checkAudience(audience: AudienceData, pointer: string): Reason[] {
  return [
    ...audienceNotOffered(audience, pointer),
    ...checkNamed(audience, pointer),
    ...checkLengths(audience, pointer),
  ];
}

/** ALL names nobody, CHANNEL its channels, USER the ids themselves or a list of them. */
function checkNamed({ type, to, list }: AudienceData, pointer: string): Reason[] {
  const given = [to && 'to', list && 'list'].filter(Boolean);
  const unclear = (at: string, text: string): Reason[] => [reason(at, 'AUDIENCE_UNCLEAR', text)];
  if (type === 'ALL') {
    if (given.length === 0) return [];
    return unclear(pointer, `type ALL reaches everybody: leave out ${given.join(' and ')}`);
  }
  if (type === 'CHANNEL' && list) return unclear(`${pointer}/list`, 'a list holds users: its type is USER');
  if (given.length === 2) return unclear(pointer, 'give to or list, not both');
  return given.length > 0 ? [] : [reason(`${pointer}/to`, 'REQUIRED', `is required with type ${type}`)];
}

function checkLengths({ type, to }: AudienceData, pointer: string): Reason[] {
  const tooLong = (at: string, most: string): Reason[] => [reason(at, 'TOO_LONG', `must be at most ${most}`)];
  if (type === 'CHANNEL' && to && to.length > MAX_CHANNEL_TO) {
    return tooLong(`${pointer}/to`, `${MAX_CHANNEL_TO} channels`);
  }
  const index = type === 'USER' && to ? to.findIndex((id) => id.length > MAX_USER_ID_LENGTH) : -1;
  return index < 0 ? [] : tooLong(`${pointer}/to/${index}`, `${MAX_USER_ID_LENGTH} characters long`);
}

function checkDelivery(delivery: DeliveryData, rules: ZoneRules): Reason[] {
  const { at, zone, until, recurrence } = delivery;
  const reasons = checkForm(delivery);
  if (until && Number.isNaN(instantOf(until))) reasons.push(noSuchTime('/data/delivery/until', until));
  if (at) reasons.push(...checkAt(at, zone));
  const rule = recurrence ? parseRecurrence(recurrence) : undefined;
  if (rule?.kind === 'refused') {
    reasons.push(reason('/data/delivery/recurrence', 'INVALID_RECURRENCE', rule.reason));
  }
  if (zone && zone !== 'recipient') reasons.push(...checkZone(zone, '/data/delivery/zone', rules));
  return reasons;
}

/** One form of delivery, and beside it only what belongs to it. */
function checkForm({ now, at, zone, scheduleCode, until, recurrence, segments }: DeliveryData): Reason[] {
  const reasons: Reason[] = [];
  const forms = [now && 'now', at && 'at', scheduleCode && 'scheduleCode'].filter(Boolean);
  if (forms.length !== 1) {
    const found = forms.length === 0 ? 'none is given' : `${forms.join(' and ')} are given`;
    reasons.push(
      reason('/data/delivery', 'DELIVERY_UNCLEAR', `exactly one of now, at, scheduleCode: ${found}`),
    );
  }
  const strays = [
    ['zone', zone, 'at', at],
    ['recurrence', recurrence, 'at', at],
    ['segments', segments, 'zone "recipient"', zone === 'recipient'],
    ['until', until, 'scheduleCode', scheduleCode],
  ] as const;
  for (const [member, given, partner, present] of strays) {
    if (given && !present) {
      reasons.push(
        reason(`/data/delivery/${member}`, 'DELIVERY_UNCLEAR', `means something only with ${partner}`),
      );
    }
  }
  return reasons;
}

function checkAt(at: string, zone: string | null | undefined): Reason[] {
  const pointer = '/data/delivery/at';
  if (WALL_TIME.test(at)) {
    const reasons = isWallTimeOfCalendar(at) ? [] : [noSuchTime(pointer, at)];
    if (!zone) {
      const text = 'is a wall time: name its zone (an IANA name or "recipient"), or give an offset or Z';
      reasons.push(reason(pointer, 'ZONE_MISSING', text));
    }
    return reasons;
  }
  if (INSTANT.test(at) && zone) {
    return [reason(pointer, 'DELIVERY_UNCLEAR', 'has an offset and a zone beside it: give one of them')];
  }
  return Number.isNaN(instantOf(at)) ? [noSuchTime(pointer, at)] : [];
}

/** Zones inside segments are not judged: an invalid one joins the fallback cell (planning.md §2). */
function checkZone(zone: string, pointer: string, rules: ZoneRules): Reason[] {
  if (rules.has(zone)) return [];
  return [
    reason(pointer, 'ZONE_UNKNOWN', `${shown(zone)} is no IANA time zone${nearest(zone, rules.names())}`),
  ];
}

function checkPolicy(policy: PolicyData, audience: AudienceData | undefined, rules: ZoneRules): Reason[] {
  const reasons = policyNotOffered(overlay(policyDefaults, policy));
  const floor = floorZone(policy);
  if (floor !== undefined) reasons.push(...checkZone(floor, '/data/policy/passedZone', rules));
  const { quietHours } = policy;
  if (typeof quietHours === 'object' && quietHours !== null && quietHours.start === quietHours.end) {
    reasons.push(reason('/data/policy/quietHours/end', 'WRONG_VALUE', 'must differ from start'));
  }
  if (policy.split?.includes('country') && !audience?.country?.length) {
    reasons.push(reason('/data/audience/country', 'REQUIRED', 'is required to split by country'));
  }
  return reasons;
}
