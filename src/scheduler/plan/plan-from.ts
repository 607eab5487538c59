// The one way a campaign is planned here, whoever asks: the planner and the dry run give the same facts to decide/, so
// that what is previewed is what is sent. Pure.
import type { Campaign } from '../decide/plan/campaign.js';
import { planCampaign } from '../decide/plan/plan.js';
import type { AudienceFacts, Plan, PlanInput, PlanningProject } from '../decide/plan/plan-types.js';
import type { EpochMs, ZoneRules } from '../../zone-rules/zone-rules.js';

export interface PlanOrder {
  readonly id: string;
  readonly serviceId: string;
  readonly revision: number;
  readonly campaign: Campaign;
  readonly project: PlanningProject;
  readonly audience: AudienceFacts;
  readonly rules: ZoneRules;
  readonly now: EpochMs;
  /** Of a recurrence that goes on, what was cancelled before it was planned, and of what was previewed when that was. */
  readonly before?: Pick<PlanInput, 'after' | 'taken' | 'leftOut' | 'lookedAt' | 'atMost'>;
}

/** What was planned, and the facts it was planned from: the same must be handed to both. */
export interface PlannedFrom extends PlanOrder {
  readonly plan: Plan;
}

export function planFrom(order: PlanOrder): PlannedFrom {
  const { campaign, project, audience, rules, now, revision, before } = order;
  return { ...order, plan: planCampaign({ campaign, project, audience, now, rules, revision, ...before }) };
}
