// The one way a campaign is planned here, whoever asks: the planner and the dry run give the same facts to decide/, so
// that what is previewed is what is sent. Pure.
import type { Campaign } from '../decide/campaign.js';
import { planCampaign } from '../decide/plan.js';
import type { AudienceFacts, PlanInput, PlanningProject } from '../decide/planned.js';
import type { EpochMs, ZoneRules } from '../decide/ports.js';
import type { PlannedFrom } from './plan-rows.js';

export interface PlanOrder {
  readonly id: string;
  readonly serviceId: string;
  readonly revision: number;
  readonly campaign: Campaign;
  readonly project: PlanningProject;
  readonly audience: AudienceFacts;
  readonly rules: ZoneRules;
  readonly now: EpochMs;
  /** Of a recurrence that goes on, and what was cancelled before it was planned. */
  readonly before?: Pick<PlanInput, 'after' | 'taken' | 'leftOut'>;
}

export function planFrom(order: PlanOrder): PlannedFrom {
  const { before, ...rest } = order;
  const { campaign, project, audience, rules, now, revision } = order;
  const plan = planCampaign({ campaign, project, audience, now, rules, revision, ...before });
  return { ...rest, plan };
}
