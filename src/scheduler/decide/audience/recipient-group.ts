// A group of recipients who share a zone, and the cells it is split into by device type and country. Pure.
import type { Audience, Campaign, Delivery } from '../plan/campaign.js';
import type { CellBase, PlanningProject } from '../plan/plan-types.js';

export interface Group extends Pick<CellBase, 'zone' | 'zoneSource' | 'segment' | 'reason' | 'recipients'> {
  /** Type, names and filters of the request; its USER ids are counted, not held. */
  readonly audience: Audience;
  /** The one country of this group, where it has only one. */
  readonly onlyCountry?: string;
  /** `target-timezone`: only users of this registered offset. */
  readonly offsetSeconds?: number;
}

/**
 * The clock of a delivery that is not on the recipient's clock: that of the zone it names, else of the project's default zone.
 * Night is judged and times are shown on it.
 */
export function homeOf(
  delivery: Delivery,
  { defaultZone }: Pick<PlanningProject, 'defaultZone'>,
): Pick<Group, 'zone' | 'zoneSource'> {
  return delivery.kind === 'wall'
    ? { zone: delivery.zone, zoneSource: 'delivery' }
    : { zone: defaultZone, zoneSource: 'project' };
}

/** One cell for each value of the dimensions that the policy splits by (planning.md §1). */
export function cellsOfGroup(group: Group, split: Campaign['policy']['split']): CellBase[] {
  const { zone, zoneSource, segment, audience, onlyCountry } = group;
  const bothTypes = ['GCM', 'APNS'] as const;
  const allTypes = audience.deviceType === null ? bothTypes : [audience.deviceType];
  const deviceTypes = split.deviceType ? allTypes : (['all'] as const);
  const allCountries = split.country ? audience.country : ['all'];
  const countries = onlyCountry === undefined ? allCountries : [onlyCountry];
  const isSplit = split.deviceType || split.country;
  return deviceTypes.flatMap((deviceType) =>
    countries.map((country) => ({
      // Stable over re-plans (planning.md §1); none of these values can contain the separator.
      key: [zone, zoneSource, segment, deviceType, country].join('|'),
      zone,
      zoneSource,
      segment,
      deviceType,
      country,
      reason: group.reason,
      target: targetOf(group, deviceType, country),
      // A request to ids names all of them, whatever it is split by. A count cannot be split: nobody knows the shares.
      recipients: audience.type === 'USER' || !isSplit ? group.recipients : undefined,
    })),
  );
}

function targetOf(
  { audience, offsetSeconds }: Group,
  deviceType: CellBase['deviceType'],
  country: string,
): CellBase['target'] {
  const device = deviceType === 'all' ? audience.deviceType : deviceType;
  const countries = country === 'all' ? audience.country : [country];
  return {
    type: audience.type,
    ...(device !== null && { deviceType: device }),
    ...(audience.type === 'CHANNEL' && { to: audience.to }),
    ...(countries.length > 0 && { country: countries }),
    ...(offsetSeconds !== undefined && { timezone: [offsetSeconds] }),
  };
}
