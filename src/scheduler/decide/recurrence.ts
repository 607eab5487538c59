// Recurrences (planning.md §3): an RFC 5545 RRULE expanded on the wall clock. Each result is a wall time and the
// occurrence's id; DST takes no part here, so COUNT counts the same ids in every zone.
// The package is CommonJS: Node finds no named exports in it, while its types speak of its other build.
// oxlint-disable-next-line import/default
import rrule from 'rrule';
import {
  DAY_MS,
  dateOfDays,
  formatLocal,
  HOUR_MS,
  MINUTE_MS,
  SECOND_MS,
  splitLocal,
  type LocalMs,
} from './civil.js';
import type { RecurrenceRule } from './recurrence-rule.js';

// oxlint-disable-next-line import/no-named-as-default-member
const { RRule, datetime } = rrule;

/** Occurrences are planned this far ahead, rolling. */
export const PLAN_AHEAD_MS = 35 * DAY_MS;

export interface RecurrenceWindow {
  /** The delivery's `at`, from which the rule counts. */
  readonly start: LocalMs;
  /** Only occurrences after this one; before the first planning −∞. */
  readonly after: LocalMs;
  /** Only occurrences before this wall time. */
  readonly before: LocalMs;
  /** At most this many. */
  readonly limit: number;
}

/**
 * The rule's wall times in the window, in order. The start itself counts only where the rule matches it, and UNTIL in
 * UTC must have been put on the zone's clock before.
 */
export function expandRecurrence(
  { text, until }: RecurrenceRule & { readonly until: LocalMs | null },
  { start, after, before, limit }: RecurrenceWindow,
): LocalMs[] {
  const options = RRule.parseString(text);
  const rule = new RRule(
    { ...options, dtstart: onRuleClock(start), until: until === null ? null : onRuleClock(until) },
    true,
  );
  const found: LocalMs[] = [];
  const from = Math.max(start, after + 1);
  if (from >= before) return found;
  // Whole seconds are all the rule's clock knows.
  rule.between(onRuleClock(from - 1), onRuleClock(before), true, (date) => {
    const local = date.getTime();
    if (local >= from && local < before) found.push(local);
    return found.length < limit;
  });
  return found;
}

/** The first wall time of the rule after `after`, looked for at most `within` further on; undefined for none. */
export function nextOccurrence(
  rule: RecurrenceRule & { readonly until: LocalMs | null },
  start: LocalMs,
  after: LocalMs,
  within: number,
): LocalMs | undefined {
  return expandRecurrence(rule, { start, after, before: Math.max(start, after) + within, limit: 1 })[0];
}

/** The id of an occurrence: the rule's wall time before it is resolved in any zone (§3). */
export function occurrenceId(local: LocalMs): string {
  return formatLocal(local);
}

/** The library keeps wall times in its dates' UTC fields. */
function onRuleClock(local: LocalMs): ReturnType<typeof datetime> {
  const { days, msOfDay } = splitLocal(local);
  const { year, month, day } = dateOfDays(days);
  return datetime(
    year,
    month,
    day,
    Math.floor(msOfDay / HOUR_MS),
    Math.floor(msOfDay / MINUTE_MS) % 60,
    Math.floor(msOfDay / SECOND_MS) % 60,
  );
}
