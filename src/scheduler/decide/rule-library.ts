// The RRULE library, behind the little that is asked of it: does it take a rule, and which wall times does the rule
// yield. It searches to the year 9999 for a day that never comes: recurrence-search.ts keeps such rules away from it.
// The package is CommonJS: Node finds no named exports in it, while its types speak of its other build.
// oxlint-disable-next-line import/default
import rrule from 'rrule';
import { dateOfDays, HOUR_MS, MINUTE_MS, SECOND_MS, splitLocal, type LocalMs } from './civil.js';

// oxlint-disable-next-line import/no-named-as-default-member
const { RRule, datetime } = rrule;

/** Why the library does not take the rule; undefined where it does. */
export function libraryFault(text: string): string | undefined {
  try {
    void new RRule({ ...RRule.parseString(text), dtstart: onRuleClock(0) }, true);
    return undefined;
  } catch (fault) {
    return fault instanceof Error ? fault.message : String(fault);
  }
}

export interface RuleSpan {
  /** The wall time the rule counts from. */
  readonly start: LocalMs;
  /** The first and the last wall time wanted. */
  readonly from: LocalMs;
  readonly to: LocalMs;
  /** The rule yields nothing after it. */
  readonly until: LocalMs | null;
}

/** Calls `take` with the rule's wall times in order until it answers false. */
export function eachOfRule(text: string, span: RuleSpan, take: (local: LocalMs) => boolean): void {
  const { start, from, to, until } = span;
  const rule = new RRule(
    {
      ...RRule.parseString(text),
      dtstart: onRuleClock(start),
      until: until === null ? null : onRuleClock(until),
    },
    true,
  );
  // Whole seconds are all the rule's clock knows.
  rule.between(onRuleClock(from - 1), onRuleClock(to), true, (date) => {
    const local = date.getTime();
    return local < from || local > to || take(local);
  });
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
