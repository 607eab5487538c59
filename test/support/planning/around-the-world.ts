// A campaign on the clocks of four users, one in each of four zones, and what became of it zone by zone: what several
// specs of planning begin with.
import type { Campaign, Delivery } from '../../../src/scheduler/decide/plan/campaign.js';
import type { Plan } from '../../../src/scheduler/decide/plan/plan-types.js';
import type { Policy } from '../../../src/scheduler/decide/timing/campaign-policy.js';
import { aCampaign, cellsOf, iso, knowing, users } from './planning.js';

const zones = {
  seoul: 'Asia/Seoul',
  berlin: 'Europe/Berlin',
  newYork: 'America/New_York',
  la: 'America/Los_Angeles',
};
export const everywhere = knowing(zones);
export const recipient = (local: string): Delivery => ({ kind: 'recipient', local });

/** A campaign on the clocks of four users, one in each zone. */
export function aroundTheWorld(
  local: string,
  policy: Partial<Policy> = {},
  overrides: Partial<Campaign> = {},
): Campaign {
  return aCampaign(recipient(local), { audience: users(...Object.keys(zones)), ...overrides, policy });
}

/** zone → what became of it, in order of due. */
export function outcomes(plan: Plan): string[] {
  return cellsOf(plan)
    .sort((a, b) => a.dueAt - b.dueAt)
    .map(
      (cell) => `${cell.zone} ${cell.skipped ?? (cell.expired === undefined ? iso(cell.dueAt) : 'expired')}`,
    );
}
