// What is warned of in the names of a campaign that its gateway said it does not know (planning.md §2). Pure.
import { gatewayNames, type GatewayName } from '../audience/gateway-names.js';
import { shown } from '../shown-value.js';
import type { Campaign } from './campaign.js';
import type { PlanWarning } from './plan-types.js';

export function nameWarnings(
  campaign: Pick<Campaign, 'audience' | 'delivery'>,
  unknown: readonly GatewayName[] = [],
): PlanWarning[] {
  return gatewayNames(campaign)
    .filter(({ kind, name }) => unknown.some((one) => one.kind === kind && one.name === name))
    .map(({ kind, name, pointer }) =>
      kind === 'channel'
        ? {
            code: 'UNKNOWN_CHANNEL',
            text: `the push service knows no channel ${shown(name)}: nobody gets it there, unless it is made before`,
            pointer,
          }
        : {
            code: 'UNKNOWN_SCHEDULE_CODE',
            text: `the push service knows no schedule ${shown(name)}, and will refuse the message, unless it is made before`,
            pointer,
          },
    );
}
