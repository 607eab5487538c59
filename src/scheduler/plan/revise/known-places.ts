// The facts about an audience that stays where it was planned: nobody is looked up, and requests are as large as they were. Pure.
import type { KnownAudience } from '../known-audience.js';
import type { PlanningProject } from '../../decide/plan/plan-types.js';
import type { Places } from './placed-recipients.store.js';

export function knownPlaces({ placed }: Places): KnownAudience {
  return { facts: { placed, provisional: 0, lookUps: 0 }, unaskedNames: false, censusMissing: false };
}

export function withMaxTo(project: PlanningProject, { placed, maxTo }: Places): PlanningProject {
  const largest = Math.max(project.maxTo, ...placed.map(({ recipients }) => recipients));
  return { ...project, maxTo: maxTo ?? largest };
}
