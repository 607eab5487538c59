// Builders for specs of decide/: a valid default of everything planning is handed, of which a test names what matters.
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import type { Audience, Campaign, Delivery } from '../../../src/scheduler/decide/plan/campaign.js';
import { planCampaign } from '../../../src/scheduler/decide/plan/plan.js';
import {
  noFacts,
  type AudienceFacts,
  type Plan,
  type PlanInput,
  type PlannedCell,
  type PlanningProject,
} from '../../../src/scheduler/decide/plan/plan-types.js';
import { policyDefaults, type Policy } from '../../../src/scheduler/decide/timing/campaign-policy.js';

export const rules = loadZoneRules({ directory: process.env['TZDATA_DIR'] });

export const everybody: Audience = { type: 'ALL', deviceType: null, country: [] };
export const users = (...to: string[]): Audience => ({ type: 'USER', to, deviceType: null, country: [] });
export const channel = (name: string, ...country: string[]): Audience => ({
  type: 'CHANNEL',
  to: [name],
  deviceType: null,
  country,
});

export function aProject(overrides: Partial<PlanningProject> = {}): PlanningProject {
  return {
    defaultZone: 'Asia/Seoul',
    maxTo: 1_000,
    principalZones: {},
    extensions: [],
    ratePerSecond: 10,
    reservations: true,
    minReserveLeadMs: 3 * 60_000,
    reserveHorizonMs: 30 * 86_400_000,
    ...overrides,
  };
}

export function aCampaign(
  delivery: Delivery,
  overrides: Partial<Omit<Campaign, 'policy' | 'delivery'>> & { readonly policy?: Partial<Policy> } = {},
): Campaign {
  const { policy, ...rest } = overrides;
  return {
    serviceId: 'shop-app',
    campaignId: 'spring-sale',
    name: null,
    tags: [],
    messageType: 'NOTIF',
    audience: everybody,
    message: { default: { content: 'hello' } },
    ...rest,
    delivery,
    policy: { ...policyDefaults, ...policy },
  };
}

export function aPlan(campaign: Campaign, now: string, overrides: Partial<PlanInput> = {}): Plan {
  return planCampaign({
    campaign,
    project: aProject(),
    audience: noFacts,
    now: Date.parse(now),
    rules,
    revision: 1,
    isTaken: true,
    ...overrides,
  });
}

/** A directory that knows these users. */
export function knowing(zones: Readonly<Record<string, string>>): AudienceFacts {
  return {
    zoneOf: (userId) => {
      const zone = zones[userId];
      return zone === undefined ? undefined : { source: 'directory', zone };
    },
  };
}

export function cellsOf(plan: Plan): PlannedCell[] {
  return plan.occurrences.flatMap((occurrence) => [...occurrence.cells]);
}

/** The one cell of a plan. */
export function onlyCell(plan: Plan): PlannedCell {
  const [cell, ...others] = cellsOf(plan);
  if (cell === undefined || others.length > 0) throw new Error(`the plan has ${others.length + 1} cells`);
  return cell;
}

export function cellIn(plan: Plan, zone: string): PlannedCell {
  const cell = cellsOf(plan).find((candidate) => candidate.zone === zone);
  if (cell === undefined) throw new Error(`the plan has no cell in ${zone}`);
  return cell;
}

/** `2027-03-01T00:00Z`, with seconds and milliseconds only where there are any. */
export function iso(instant: number): string {
  return new Date(instant).toISOString().replace(/(?::00)?\.000Z$/, 'Z');
}
