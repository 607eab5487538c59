// A campaign as the data of the event that would make it again: the reverse of parse/to-campaign.ts, and what a patch is applied to.
// Not the event's own bytes: these go with their day, and without the ids of users that were erased. Pure.
import { instantText } from '../../../platform/instant.js';
import type { Audience, Campaign, Delivery } from '../../decide/plan/campaign.js';
import { shownPolicy } from '../../store/read/shown-policy.js';
import type { AudienceData, DeliveryData, ScheduledData } from '../parse/campaign-event.js';

/** Every member of the policy is given, so that a later change of the project's defaults changes nothing that a patch does not name. */
export function dataOfCampaign(campaign: Campaign): ScheduledData {
  const { serviceId, name, tags, messageType, audience, message, delivery, policy } = campaign;
  const shown = shownPolicy(policy);
  return {
    serviceId,
    ...(name !== null && { name }),
    ...(tags.length > 0 && { tags: [...tags] }),
    messageType,
    ...(audience !== null && { audience: audienceData(audience) }),
    message,
    delivery: deliveryData(delivery),
    policy: {
      ...shown,
      // A null would count as absent, and the project's default would come in its place.
      quietHours: shown.quietHours ?? 'none',
      pace: shown.pace ?? 'none',
      jitter: shown.jitter ?? 'PT0S',
    },
  };
}

function audienceData(audience: Audience): AudienceData {
  const { type, country, deviceType } = audience;
  return {
    type,
    ...('to' in audience && { to: [...audience.to] }),
    ...('list' in audience && { list: audience.list }),
    ...(country.length > 0 && { country: [...country] }),
    ...(deviceType !== null && { deviceType }),
  };
}

function deliveryData(delivery: Delivery): DeliveryData {
  if (delivery.kind === 'now') return { now: true };
  if (delivery.kind === 'schedule') {
    const { scheduleCode, until } = delivery;
    return { scheduleCode, ...(until !== undefined && { until: instantText(until) }) };
  }
  const repeated = delivery.recurrence === undefined ? {} : { recurrence: delivery.recurrence };
  if (delivery.kind === 'instant') return { at: instantText(delivery.at), ...repeated };
  if (delivery.kind === 'wall') return { at: delivery.local, zone: delivery.zone, ...repeated };
  const { local, segments } = delivery;
  const placed = segments?.map(({ zone, audience }) => ({ zone, audience: audienceData(audience) }));
  return { at: local, zone: 'recipient', ...(placed !== undefined && { segments: placed }), ...repeated };
}
