// A group of recipients that share a zone, before it is split into cells by device type and country. Pure data.
import type { Audience, Campaign, Delivery } from '../plan/campaign.js';
import type { CellBase, ZoneSource } from '../plan/plan-types.js';

export interface Group {
  readonly zone: string;
  readonly zoneSource: ZoneSource;
  readonly segment: number;
  readonly reason?: NonNullable<CellBase['reason']>;
  /** Type, names and filters of the request; its USER ids are counted, not held. */
  readonly audience: Audience;
  /** Source `country`: the one country of this group. */
  readonly onlyCountry?: string;
  /** `target-timezone`: users of this registered offset alone. */
  readonly offsetSeconds?: number;
  readonly recipients?: number;
}

/**
 * The clock of a delivery that is not on the recipient's: the zone it names, else the project's default zone, on which
 * night is judged and times are shown.
 */
export function homeOf(
  delivery: Delivery,
  project: { readonly defaultZone: string },
): Pick<Group, 'zone' | 'zoneSource'> {
  return delivery.kind === 'wall'
    ? { zone: delivery.zone, zoneSource: 'delivery' }
    : { zone: project.defaultZone, zoneSource: 'project' };
}

/** One cell for each value of the dimensions the policy splits by (planning.md §1). */
export function cellsOfGroup(group: Group, split: Campaign['policy']['split']): CellBase[] {
  const { audience } = group;
  const deviceTypes = split.deviceType
    ? audience.deviceType === null
      ? (['GCM', 'APNS'] as const)
      : [audience.deviceType]
    : (['all'] as const);
  const countries =
    group.onlyCountry !== undefined ? [group.onlyCountry] : split.country ? audience.country : ['all'];
  return deviceTypes.flatMap((deviceType) =>
    countries.map((country) => ({
      key: cellKey(group, deviceType, country),
      zone: group.zone,
      zoneSource: group.zoneSource,
      segment: group.segment,
      deviceType,
      country,
      ...(group.reason === undefined ? {} : { reason: group.reason }),
      target: targetOf(group, deviceType, country),
      ...(group.recipients === undefined ? {} : { recipients: group.recipients }),
    })),
  );
}

/** Stable over re-plans (planning.md §1); none of its parts can hold the separator. */
export function cellKey(
  { zone, zoneSource, segment }: Pick<Group, 'zone' | 'zoneSource' | 'segment'>,
  deviceType: CellBase['deviceType'],
  country: string,
): string {
  return [zone, zoneSource, segment, deviceType, country].join('|');
}

function targetOf(group: Group, deviceType: CellBase['deviceType'], country: string): CellBase['target'] {
  const { audience, offsetSeconds } = group;
  const device = deviceType === 'all' ? audience.deviceType : deviceType;
  const countries = country === 'all' ? audience.country : [country];
  return {
    type: audience.type,
    ...(device === null ? {} : { deviceType: device }),
    ...(audience.type === 'CHANNEL' ? { to: audience.to } : {}),
    ...(countries.length === 0 ? {} : { country: countries }),
    ...(offsetSeconds === undefined ? {} : { timezone: [offsetSeconds] }),
  };
}
