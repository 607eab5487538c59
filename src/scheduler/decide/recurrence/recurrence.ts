// Recurrences (planning.md §3): an RFC 5545 RRULE expanded on the wall clock. Each result is a wall time, which is also the
// occurrence's id. DST plays no part here, so COUNT counts the same ids in every zone.
import { DAY_MS, formatLocal, startOfYear, type LocalMs } from '../../../zone-rules/civil.js';
import type { RuleText } from './recurrence-rule.js';
import { ruleMembers } from './rule-members.js';
import { readParts } from './rule-parts.js';

/** How far ahead the occurrences of a recurrence are worked out and shown, and counted for the size of its plan. */
export const SHOWN_AHEAD_MS = 35 * DAY_MS;

/** How far ahead they are planned by default, in a rolling window (PLAN_AHEAD_HOURS). */
export const PLAN_AHEAD_MS = 2 * DAY_MS;

/** A rule that does not fire within 40 years of its start counts as one that never fires. */
const SEARCH_MS = 40 * 366 * DAY_MS;

/** Ids have years of four digits. */
const END_OF_TIME = startOfYear(10_000);

/** A rule on its own clock, which ruleRefusal has not refused. */
export interface StartedRule {
  readonly parts: RuleText;
  /** The delivery's `at`, from which the rule counts. */
  readonly start: LocalMs;
  readonly until: LocalMs | null;
  /**
   * For an UNTIL in UTC: whether the wall time is not after it. On a night that repeats an hour, the wall time alone does not
   * show this.
   */
  readonly holds?: (local: LocalMs) => boolean;
}

interface RecurrenceWindow {
  /** Only occurrences after this one; −∞ at the first planning. */
  readonly after: LocalMs;
  /** Only occurrences before this wall time. */
  readonly before: LocalMs;
  /** At most this many. */
  readonly limit: number;
}

/** The rule's wall times in the window, in order. The start itself is one only where the rule matches it. */
export function expandRecurrence(rule: StartedRule, { after, before, limit }: RecurrenceWindow): LocalMs[] {
  const { start, until, holds } = rule;
  const found: LocalMs[] = [];
  const parts = readParts(rule.parts, start);
  const from = Math.max(start, after + 1);
  const end = Math.min(before, until === null ? Infinity : until + 1, END_OF_TIME);
  // COUNT counts from the start, whatever the window is; without it nothing before the window has to be expanded.
  let left = parts.count;
  for (const local of ruleMembers(parts, start, { from: left === Infinity ? from : start, end })) {
    if (found.length === limit || left === 0) break;
    left -= 1;
    if (local >= from && holds?.(local) !== false) found.push(local);
  }
  return found;
}

/** The rule without its COUNT: it need not be expanded from the start. */
export function uncounted({ parts, ...rule }: StartedRule): StartedRule {
  const others = Object.entries(parts).filter(([name]) => name !== 'COUNT');
  return { ...rule, parts: Object.fromEntries(others) };
}

/** The last wall time before `before` that COUNT lets the rule have; ∞ without COUNT. Counts from the start. */
export function lastCounted({ parts, start }: StartedRule, before: LocalMs): LocalMs {
  if (readParts(parts, start).count === Infinity) return Infinity;
  const counted = expandRecurrence(
    { parts, start, until: null },
    { after: -Infinity, before, limit: Infinity },
  );
  return counted.at(-1) ?? -Infinity;
}

/** The first wall time of the rule after `after` and at most `within` later; undefined where there is none. */
export function nextOccurrence(rule: StartedRule, after: LocalMs, within: number): LocalMs | undefined {
  return expandRecurrence(rule, { after, before: Math.max(rule.start, after) + within, limit: 1 })[0];
}

/** The rule's first wall time within 40 years of its start, UNTIL aside; undefined for a rule that never fires. */
export function firstOccurrence({ parts, start }: StartedRule): LocalMs | undefined {
  return nextOccurrence({ parts, start, until: null }, -Infinity, SEARCH_MS);
}

/** The id of an occurrence: the rule's wall time before it is resolved in any zone (planning.md §3). */
export function occurrenceId(local: LocalMs): string {
  return formatLocal(local);
}
