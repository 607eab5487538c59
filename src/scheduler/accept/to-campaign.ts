// An event's data → the Campaign of decide/, every default filled in: the event's own policy over the project's over
// the contract's. Only for data that its schema and check-meaning.ts have passed.
import { DateTime } from 'luxon';
import type { CommonMessage } from '../../push-contract/messages.js';
import type { Audience, Campaign, Delivery } from '../decide/campaign.js';
import { exactMs, parseDuration, type CalendarDuration } from '../decide/duration.js';
import type { PassedZonePolicy, Policy, QuietHours } from '../decide/policy.js';
import { PASSED_ZONE_POLICIES } from '../decide/policy.js';
import {
  INSTANT,
  type AudienceData,
  type DeliveryData,
  type PolicyData,
  type ScheduledData,
} from './campaign-event.js';

export function toCampaign(campaignId: string, data: ScheduledData, defaults: Policy): Campaign {
  return {
    serviceId: data.serviceId,
    campaignId,
    name: data.name ?? null,
    tags: data.tags ?? [],
    messageType: data.messageType ?? 'NOTIF',
    audience: data.audience ? toAudience(data.audience) : null,
    // The schema's shape is the interface's own; JSON knows no undefined member.
    message: data.message as CommonMessage,
    delivery: toDelivery(data.delivery),
    policy: overlay(defaults, data.policy ?? {}),
    ...(data.planHash && { planHash: data.planHash }),
  };
}

function toAudience({ type, to, list, country, deviceType }: AudienceData): Audience {
  const filter = { deviceType: deviceType ?? null, country: country ?? [] };
  if (type === 'ALL') return { type, ...filter };
  if (type === 'USER' && list) return { type, list, ...filter };
  return type === 'USER' ? { type, to: to ?? [], ...filter } : { type, to: to ?? [], ...filter };
}

function toDelivery({ at, zone, scheduleCode, until, recurrence, segments }: DeliveryData): Delivery {
  const repeated = recurrence ? { recurrence } : {};
  if (scheduleCode) return { kind: 'schedule', scheduleCode, ...(until && { until: instantOf(until) }) };
  if (!at) return { kind: 'now' };
  if (!zone) return { kind: 'instant', at: instantOf(at), ...repeated };
  if (zone !== 'recipient') return { kind: 'wall', local: at, zone, ...repeated };
  return {
    kind: 'recipient',
    local: at,
    ...(segments && {
      segments: segments.map((segment) => ({ zone: segment.zone, audience: toAudience(segment.audience) })),
    }),
    ...repeated,
  };
}

/** Epoch milliseconds of an RFC 3339 instant; NaN for a date that no calendar has. */
export function instantOf(text: string): number {
  return INSTANT.test(text) ? DateTime.fromISO(text, { zone: 'utc' }).toMillis() : Number.NaN;
}

/** `base` with every member that is given put over it; dst and lateness member by member. */
export function overlay(base: Policy, given: PolicyData): Policy {
  return {
    dst: { gap: given.dst?.gap ?? base.dst.gap, overlap: given.dst?.overlap ?? base.dst.overlap },
    night: given.night ?? base.night,
    quietHours: given.quietHours ? toQuietHours(given.quietHours) : base.quietHours,
    passedZone: given.passedZone ? toPassedZone(given.passedZone) : base.passedZone,
    deadline: given.deadline ? durationOf(given.deadline) : base.deadline,
    lateness: {
      maxMs: given.lateness?.max ? msOf(given.lateness.max) : base.lateness.maxMs,
      beyond: given.lateness?.then ?? base.lateness.beyond,
    },
    handoff: given.handoff ?? base.handoff,
    pace: given.pace ?? base.pace,
    jitterMs: given.jitter ? msOf(given.jitter) : base.jitterMs,
    split: given.split
      ? { deviceType: given.split.includes('deviceType'), country: given.split.includes('country') }
      : base.split,
    approval: given.approval ?? base.approval,
    testTo: given.testTo ?? base.testTo,
  };
}

function toQuietHours({ start, end, action }: NonNullable<PolicyData['quietHours']>): QuietHours {
  return { startMinute: minuteOfDay(start), endMinute: minuteOfDay(end), action };
}

function minuteOfDay(clockTime: string): number {
  return Number(clockTime.slice(0, 2)) * 60 + Number(clockTime.slice(3, 5));
}

function toPassedZone(text: string): PassedZonePolicy {
  const kind = PASSED_ZONE_POLICIES.find((word) => word === text);
  return kind === undefined ? { kind: 'floor', zone: text.slice('floor:'.length) } : { kind };
}

function durationOf(text: string): CalendarDuration {
  const parsed = parseDuration(text);
  if (parsed === undefined) throw new RangeError(`${text} is no duration`);
  return parsed;
}

function msOf(text: string): number {
  const ms = exactMs(durationOf(text));
  if (ms === undefined) throw new RangeError(`${text} has no exact length`);
  return ms;
}
