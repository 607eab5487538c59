// The planner and the dry run plan a campaign by this one function, from the same facts, so that what is previewed is what is
// sent. Pure.
import { planCampaign } from '../decide/plan/plan.js';
import type { Plan, PlanInput } from '../decide/plan/plan-types.js';

/** A campaign's plan, with the facts it was made from: whoever uses the plan needs the same facts. */
export interface FactsWithPlan extends PlanInput {
  readonly id: string;
  readonly plan: Plan;
}

export function withPlan(facts: Omit<FactsWithPlan, 'plan'>): FactsWithPlan {
  return { ...facts, plan: planCampaign(facts) };
}
