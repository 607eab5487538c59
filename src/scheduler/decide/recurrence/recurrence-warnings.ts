// The warnings of a plan about a recurrence (planning.md §3, §4): occurrences that were over, that are not planned yet, or that
// fall on the same instant. They change nothing that is sent.
import { formatLocal } from '../../../zone-rules/civil.js';
import { leaves, type PlannedOccurrence, type PlanWarning } from '../plan/plan-types.js';
import type { AskedOccurrences } from './occurrences.js';

/** Only for the first planning: later ones plan further occurrences of the same rule. */
export function recurrenceWarnings(
  { past, next }: AskedOccurrences,
  occurrences: readonly PlannedOccurrence[],
): PlanWarning[] {
  const warnings: PlanWarning[] = [];
  if (past > 0) {
    const text = `${past} ${past === 1 ? 'occurrence was' : 'occurrences were'} over before the campaign was planned, and left out`;
    warnings.push({ code: 'PAST_OCCURRENCES', text, pointer: '/delivery/at' });
  }
  if (occurrences.length === 0) warnings.push(nothingYet(next));
  const meeting = meet(occurrences);
  if (meeting !== undefined) warnings.push(meeting);
  return warnings;
}

function nothingYet(next: number | undefined): PlanWarning {
  const pointer = '/delivery/recurrence';
  if (next === undefined) {
    const text = 'none of its occurrences is still to come: nothing will leave';
    return { code: 'NO_OCCURRENCE_LEFT', text, pointer };
  }
  const text = `the first one to come is ${formatLocal(next)}: occurrences are worked out 35 days ahead`;
  return { code: 'NO_OCCURRENCE_YET', text, pointer };
}

/** Where the period is shorter than a deferral, several occurrences are deferred to the same end of a window. */
function meet(occurrences: readonly PlannedOccurrence[]): PlanWarning | undefined {
  const seen = new Map<string, string>();
  let count = 0;
  let example = '';
  for (const { occurrence, cells } of occurrences) {
    for (const { key, zone, dueAt } of cells.filter(leaves)) {
      const at = `${key} ${dueAt}`;
      const earlier = seen.get(at);
      if (earlier === undefined) seen.set(at, occurrence);
      else {
        count += 1;
        example ||= `${earlier} and ${occurrence} in ${zone}`;
      }
    }
  }
  if (count === 0) return undefined;
  const text = `${count === 1 ? 'once' : `${count} times`} an occurrence goes at the very instant of another (${example}): who is deferred gets them together`;
  return { code: 'OCCURRENCES_MEET', text, pointer: '/policy' };
}
