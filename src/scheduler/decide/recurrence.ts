// Recurrences (planning.md §3): an RFC 5545 RRULE expanded on the wall clock. Each result is a wall time and the
// occurrence's id; DST takes no part here, so COUNT counts the same ids in every zone.
import { DAY_MS, formatLocal, type LocalMs } from './civil.js';
import type { RecurrenceRule } from './recurrence-rule.js';
import { eachOfRule } from './rule-library.js';

/** Occurrences are planned this far ahead, rolling. */
export const PLAN_AHEAD_MS = 35 * DAY_MS;

/** A rule on its own clock, which recurrenceRefusal let pass. */
export interface StartedRule extends RecurrenceRule {
  /** The delivery's `at`, from which the rule counts. */
  readonly start: LocalMs;
  readonly until: LocalMs | null;
  /** UNTIL in UTC: whether the wall time comes before it. On a night that repeats an hour no wall time can say so. */
  readonly holds?: (local: LocalMs) => boolean;
}

export interface RecurrenceWindow {
  /** Only occurrences after this one; before the first planning −∞. */
  readonly after: LocalMs;
  /** Only occurrences before this wall time. */
  readonly before: LocalMs;
  /** At most this many. */
  readonly limit: number;
}

/** The rule's wall times in the window, in order. The start itself counts only where the rule matches it. */
export function expandRecurrence(rule: StartedRule, { after, before, limit }: RecurrenceWindow): LocalMs[] {
  const { text, start, until, holds } = rule;
  const found: LocalMs[] = [];
  const from = Math.max(start, after + 1);
  if (from >= before) return found;
  eachOfRule(text, { start, from, to: before - 1, until }, (local) => {
    if (holds?.(local) !== false) found.push(local);
    return found.length < limit;
  });
  return found;
}

/** The first wall time of the rule after `after`, looked for at most `within` further on; undefined for none. */
export function nextOccurrence(rule: StartedRule, after: LocalMs, within: number): LocalMs | undefined {
  return expandRecurrence(rule, { after, before: Math.max(rule.start, after) + within, limit: 1 })[0];
}

/** The id of an occurrence: the rule's wall time before it is resolved in any zone (§3). */
export function occurrenceId(local: LocalMs): string {
  return formatLocal(local);
}
