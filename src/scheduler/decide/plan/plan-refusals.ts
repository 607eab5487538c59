// What makes a campaign impossible to plan at all, found before any cell is decided. Acceptance checks the event's own
// form; what needs zone rules, the project or now is checked here.
import type { Delivery } from './campaign.js';
import type { PlanInput, PlanProblem } from './plan-types.js';
import {
  MOST_PAST_OCCURRENCES,
  mostPerDay,
  OLDEST_START_MS,
  parseRecurrence,
  untilOf,
} from '../recurrence/recurrence-rule.js';
import { DAY_MS, formatLocal } from '../../../zone-rules/civil.js';
import { ruleOf, startOf } from '../recurrence/occurrences.js';
import { shown } from '../shown-value.js';
import type { DstPolicy } from '../timing/policy.js';
import { firstOccurrence, type StartedRule } from '../recurrence/recurrence.js';

export function planRefusal(input: PlanInput): PlanProblem | undefined {
  const { campaign, project, rules, now } = input;
  const { delivery, policy, audience } = campaign;
  if (!rules.has(project.defaultZone)) return unknownZone(project.defaultZone, '');
  if (delivery.kind === 'wall' && !rules.has(delivery.zone))
    return unknownZone(delivery.zone, '/delivery/zone');
  if (policy.passedZone.kind === 'floor' && !rules.has(policy.passedZone.zone)) {
    return unknownZone(policy.passedZone.zone, '/policy/passedZone');
  }
  const needsCountry = policy.split.country && audience !== null && audience.country.length === 0;
  if (needsCountry) {
    const text = 'a split by country needs audience.country';
    return { code: 'SPLIT_NEEDS_COUNTRY', text, pointer: '/policy/split' };
  }
  if (delivery.kind === 'schedule' && delivery.until !== undefined && delivery.until <= now) {
    return {
      code: 'UNTIL_PASSED',
      text: 'the standing message would have ended already',
      pointer: '/delivery/until',
    };
  }
  return recurrenceRefusal({ delivery, dst: policy.dst }, input);
}

/** Of a one-shot: none. What has none is safe to expand, and yields at least one occurrence. */
export function recurrenceRefusal(
  { delivery, dst }: { readonly delivery: Delivery; readonly dst: DstPolicy },
  { rules, now, after }: Pick<PlanInput, 'rules' | 'now' | 'after'>,
): PlanProblem | undefined {
  if (!('recurrence' in delivery) || delivery.recurrence === undefined) return undefined;
  const refused = (text: string, code = 'INVALID_RECURRENCE'): PlanProblem => ({
    code,
    text,
    pointer: '/delivery/recurrence',
  });
  const parsed = parseRecurrence(delivery.recurrence);
  if (parsed.kind === 'refused') return refused(parsed.reason);
  const { rule } = parsed;
  const start = startOf(delivery);
  if (start === undefined) return refused('it starts at no wall time');
  const zone = delivery.kind === 'wall' ? delivery.zone : 'Etc/UTC';
  const until = untilOf(rule, delivery.kind === 'recipient' ? undefined : rules.table(zone));
  if (until === undefined) {
    return refused(
      `the UNTIL of ${shown(delivery.recurrence)} is no date, or in UTC where each recipient has a clock of their own: give a date or a wall time, such as UNTIL=20270630T090000`,
    );
  }
  if (after === undefined && now - start > OLDEST_START_MS)
    return refused('it starts more than ten years ago: give a later start');
  if (after === undefined && ((now - start) / DAY_MS) * mostPerDay(rule) > MOST_PAST_OCCURRENCES)
    return refused(`it starts more than ${MOST_PAST_OCCURRENCES} occurrences ago: give a later start`);
  const never = neverFires(ruleOf(delivery, delivery.recurrence, rules, dst), shown(delivery.recurrence));
  return never === undefined ? undefined : refused(never, 'RECURRENCE_NEVER_FIRES');
}

/** `sent`: the rule as it came. */
function neverFires(rule: StartedRule, sent: string): string | undefined {
  const { start, until, holds } = rule;
  const first = firstOccurrence(rule);
  if (first === undefined)
    return `no day of the 40 years after ${formatLocal(start)} matches ${sent}: it would never fire`;
  if (until === null || (first <= until && holds?.(first) !== false)) return undefined;
  return `${sent} ends before its first occurrence, ${formatLocal(first)}: it would never fire; give a later UNTIL`;
}

function unknownZone(zone: string, pointer: string): PlanProblem {
  return {
    code: 'UNKNOWN_ZONE',
    text: `${shown(zone)} is no zone of the tz database, such as Asia/Seoul`,
    pointer,
  };
}
