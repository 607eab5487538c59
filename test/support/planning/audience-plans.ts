// Campaigns on the recipient's clock at one wall time, planned for an audience: what specs of audiences ask about.
import type { Audience, Campaign, Segment } from '../../../src/scheduler/decide/plan/campaign.js';
import {
  noFacts,
  type AudienceFacts,
  type Plan,
  type PlanningProject,
} from '../../../src/scheduler/decide/plan/plan-types.js';
import { aCampaign, aPlan, aProject, cellsOf } from './planning.js';

export const at = (segments?: readonly Segment[]): Campaign['delivery'] => ({
  kind: 'recipient',
  local: '2027-03-01T09:00',
  ...(segments === undefined ? {} : { segments }),
});
export const now = '2027-02-01T00:00Z';

export function planned(
  audience: Audience | null,
  segments?: readonly Segment[],
  facts: AudienceFacts = noFacts,
  project: Partial<PlanningProject> = {},
): Plan {
  return aPlan(aCampaign(at(segments), { audience }), now, { audience: facts, project: aProject(project) });
}

/** key and recipients of every cell. */
export function cells(plan: Plan): string[] {
  return cellsOf(plan).map((cell) => `${cell.key} ${cell.recipients ?? '-'} ${cell.reason ?? ''}`.trimEnd());
}

export const codes = (plan: Plan): string[] => plan.warnings.map(({ code }) => code);
