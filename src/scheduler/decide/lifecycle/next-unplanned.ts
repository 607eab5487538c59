// Finds the occurrence of a recurrence that is planned next. It is left out when its planning is given up. Pure.
import { DAY_MS, parseLocal } from '../../../zone-rules/civil.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';
import type { Campaign } from '../plan/campaign.js';
import { LOOK_ON_MS, ruleOf } from '../recurrence/occurrences.js';
import { nextOccurrence, occurrenceId } from '../recurrence/recurrence.js';

interface PlannedSoFar {
  /** The last occurrence that was planned; null where none was. */
  readonly after: string | null;
  /** Occurrences that were cancelled before they were planned. */
  readonly leftOut: ReadonlySet<string>;
  readonly now: EpochMs;
}

/** Undefined where there is none. Throws for a rule that can no longer be read. */
export function nextUnplanned(
  { delivery, policy }: Pick<Campaign, 'delivery' | 'policy'>,
  { after, leftOut, now }: PlannedSoFar,
  rules: ZoneRules,
): string | undefined {
  if (!('recurrence' in delivery) || delivery.recurrence === undefined) return undefined;
  const rule = ruleOf(delivery, delivery.recurrence, rules, policy.dst);
  const planned = after === null ? undefined : parseLocal(after);
  // No clock is more than a day away from UTC.
  let last: number | undefined = planned ?? Math.max(rule.start, now - DAY_MS) - 1;
  while ((last = nextOccurrence(rule, last, LOOK_ON_MS)) !== undefined) {
    const occurrence = occurrenceId(last);
    if (!leftOut.has(occurrence)) return occurrence;
  }
  return undefined;
}
