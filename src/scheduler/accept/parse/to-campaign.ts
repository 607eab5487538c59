// An event's data → the Campaign of decide/ with every default filled in. The event's members of the policy
// come first, then the project's, then the contract's. Only for data that check-meaning.ts has passed.
import type { Audience, Campaign, Delivery } from '../../decide/plan/campaign.js';
import { policyDefaults, type Policy } from '../../decide/timing/campaign-policy.js';
import { overlay, PolicyData } from '../../store/policy-data.js';
import type { AudienceData, DeliveryData, ScheduledData } from './campaign-event.js';
import { instantOf, wallTimeOf } from './given-times.js';
import { reason, type Reason } from './reason.js';

/** The campaign, or why the policy of its project does not allow it. `defaults`: that policy as the project stores it. */
export function campaignOf(campaignId: string, data: ScheduledData, defaults: unknown): Campaign | Reason[] {
  const ofProject = PolicyData.safeParse(defaults ?? {});
  if (!ofProject.success) {
    const text = 'the policy_defaults of the push project are not valid; an admin must correct them';
    return [reason('', 'POLICY_DEFAULTS_INVALID', text)];
  }
  return toCampaign(campaignId, data, overlay(policyDefaults, ofProject.data));
}

export function toCampaign(campaignId: string, data: ScheduledData, defaults: Policy): Campaign {
  return {
    serviceId: data.serviceId,
    campaignId,
    name: data.name ?? null,
    tags: data.tags ?? [],
    messageType: data.messageType ?? 'NOTIF',
    audience: data.audience ? toAudience(data.audience) : null,
    message: data.message,
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
  if (zone !== 'recipient') return { kind: 'wall', local: wallTimeOf(at), zone, ...repeated };
  return {
    kind: 'recipient',
    local: wallTimeOf(at),
    ...(segments && {
      segments: segments.map((segment) => ({ ...segment, audience: toAudience(segment.audience) })),
    }),
    ...repeated,
  };
}
