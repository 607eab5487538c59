// Recurrences (planning.md §3): an RFC 5545 RRULE expanded on the wall clock. Each result is a wall time and the
// occurrence's id; DST takes no part here, so COUNT counts the same ids in every zone.
import { DAY_MS, daysOfDate, formatLocal, type LocalMs } from '../../../zone-rules/civil.js';
import type { RecurrenceRule } from './recurrence-rule.js';
import { ruleMembers } from './rule-members.js';
import { readParts } from './rule-parts.js';

/** Occurrences are planned this far ahead, rolling. */
export const PLAN_AHEAD_MS = 35 * DAY_MS;

/** A rule must fire within 40 years of its start, or it counts as one that never does. */
const SEARCH_MS = 40 * 366 * DAY_MS;

/** Ids have years of four digits. */
const END_OF_TIME = daysOfDate({ year: 10_000, month: 1, day: 1 }) * DAY_MS;

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
  const { start, until, holds } = rule;
  const found: LocalMs[] = [];
  const parts = readParts(rule, start);
  const from = Math.max(start, after + 1);
  const end = Math.min(before, until === null ? Infinity : until + 1, END_OF_TIME);
  // COUNT counts from the start, whatever window is asked for; without it nothing before the window is looked at.
  let left = parts.count;
  for (const local of ruleMembers(parts, start, { from: left === Infinity ? from : start, end })) {
    if (found.length === limit || left === 0) break;
    left -= 1;
    if (local >= from && holds?.(local) !== false) found.push(local);
  }
  return found;
}

/** The first wall time of the rule after `after`, looked for at most `within` further on; undefined for none. */
export function nextOccurrence(rule: StartedRule, after: LocalMs, within: number): LocalMs | undefined {
  return expandRecurrence(rule, { after, before: Math.max(rule.start, after) + within, limit: 1 })[0];
}

/** The rule's first wall time, UNTIL aside, within 40 years of its start; undefined for a rule that never fires. */
export function firstOccurrence({ parts, untilText, start }: StartedRule): LocalMs | undefined {
  return nextOccurrence({ parts, untilText, start, until: null }, -Infinity, SEARCH_MS);
}

/** The id of an occurrence: the rule's wall time before it is resolved in any zone (planning.md §3). */
export function occurrenceId(local: LocalMs): string {
  return formatLocal(local);
}
