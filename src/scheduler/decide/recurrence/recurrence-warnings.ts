// What a plan says of a recurrence beside its cells (planning.md §3, §4): what was over, what is not planned yet, and
// occurrences that meet. Nothing here changes what is sent.
import { formatLocal } from '../../../zone-rules/civil.js';
import type { AskedOccurrences } from './occurrences.js';
import type { PlannedOccurrence, PlanWarning } from '../plan/plan-types.js';

/** Of the first planning alone: later ones look further at the same rule. */
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
  return next === undefined
    ? {
        code: 'NO_OCCURRENCE_LEFT',
        text: 'none of its occurrences is still to come: nothing will leave',
        pointer,
      }
    : {
        code: 'NO_OCCURRENCE_YET',
        text: `the first one to come is ${formatLocal(next)}: occurrences are planned 35 days ahead`,
        pointer,
      };
}

/** A period shorter than a deferral brings several occurrences to the window's end. */
function meet(occurrences: readonly PlannedOccurrence[]): PlanWarning | undefined {
  const seen = new Map<string, string>();
  let count = 0;
  let example = '';
  for (const { occurrence, cells } of occurrences) {
    for (const { key, zone, dueAt, skipped, expired } of cells) {
      if (skipped !== undefined || expired !== undefined) continue;
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
