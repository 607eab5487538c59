// Finds why a campaign cannot be planned at all, before any cell is decided. Acceptance checks the form of the event; this checks
// what needs zone rules, the project, the present time or the whole audience.
import { OverlapIndex } from '../audience/audience-overlap.js';
import { collides } from '../audience/subtract-segments.js';
import { segmentsOf, type Campaign, type Segment } from './campaign.js';
import { MAX_PLANNED_CELLS, planSize, sizeRefusal } from './plan-size.js';
import type { PlanInput, PlanProblem } from './plan-types.js';
import {
  MOST_PAST_OCCURRENCES,
  mostPerDay,
  OLDEST_START_MS,
  parseRecurrence,
  untilOf,
} from '../recurrence/recurrence-rule.js';
import { DAY_MS, formatLocal, parseLocal } from '../../../zone-rules/civil.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';
import type { DstPolicy } from '../timing/campaign-policy.js';
import { lengthText } from '../timing/length-text.js';
import { isLeftOut, resolveLocal } from '../timing/local-time.js';
import { ruleOf, startOf, type RecurringDelivery } from '../recurrence/occurrences.js';
import { shown } from '../quote-value.js';
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
  const everybody = [audience, ...segmentsOf(delivery).map((segment) => segment.audience)];
  if (policy.split.country && everybody.some((one) => one?.country.length === 0)) {
    const text = 'a split by country needs country in the audience and in that of every segment';
    return { code: 'SPLIT_NEEDS_COUNTRY', text, pointer: '/policy/split' };
  }
  if (delivery.kind === 'schedule' && delivery.until !== undefined && delivery.until <= now) {
    const text = 'the standing message would have ended already';
    return { code: 'UNTIL_PASSED', text, pointer: '/delivery/until' };
  }
  const passed = input.isTaken === true ? undefined : timePassed(campaign, now, rules);
  return passed ?? recurrenceRefusal(campaign, input) ?? audienceRefusal(campaign) ?? cellsRefusal(input);
}

/** Only before the first planning: a recurrence that goes on plans as many occurrences at once as fit. */
function cellsRefusal(input: PlanInput): PlanProblem | undefined {
  const { campaign, after, mostCells = MAX_PLANNED_CELLS } = input;
  return after === undefined ? sizeRefusal(planSize(input), campaign, mostCells) : undefined;
}

/**
 * Refuses a single time that was over at `at` by more than the policy allows: nothing of it could leave. On the recipient's clock
 * passedZone decides instead; and a recurrence only leaves out the occurrences that are over.
 */
export function timePassed(
  { delivery, policy: { lateness, dst } }: Pick<Campaign, 'delivery' | 'policy'>,
  at: EpochMs,
  rules: ZoneRules,
): PlanProblem | undefined {
  if (lateness.beyond === 'send' || ('recurrence' in delivery && delivery.recurrence !== undefined))
    return undefined;
  const asked = delivery.kind === 'instant' ? delivery.at : wallInstant(delivery, dst, rules);
  if (asked === undefined || at - asked <= lateness.maxMs) return undefined;
  const text =
    `the time was over ${lengthText(at - asked)} before, and the policy allows ${lengthText(lateness.maxMs)}: ` +
    'give a time that is still to come, or a policy with lateness.then "send"';
  return { code: 'TIME_PASSED', text, pointer: '/delivery/at' };
}

function wallInstant(delivery: Campaign['delivery'], dst: DstPolicy, rules: ZoneRules): EpochMs | undefined {
  const table = delivery.kind === 'wall' ? rules.table(delivery.zone) : undefined;
  const local = delivery.kind === 'wall' ? parseLocal(delivery.local) : undefined;
  if (table === undefined || local === undefined) return undefined;
  const { instant, verdict } = resolveLocal(local, table, dst);
  return isLeftOut(verdict) ? undefined : instant;
}

function audienceRefusal({ delivery, audience }: Campaign): PlanProblem | undefined {
  if (delivery.kind === 'recipient') return overlapRefusal(audience, segmentsOf(delivery));
  return audience === null
    ? { code: 'AUDIENCE_MISSING', text: 'the campaign has no audience', pointer: '/audience' }
    : undefined;
}

/** Segments may not overlap with each other. With the campaign's own audience they overlap only by taking whole countries from it. */
function overlapRefusal(own: Campaign['audience'], segments: readonly Segment[]): PlanProblem | undefined {
  const seen = new OverlapIndex<number>();
  for (const [index, { audience }] of segments.entries()) {
    const earlier = seen.find(audience);
    seen.add(audience, index);
    const collidesWithOwn = own !== null && collides(own, audience);
    if (earlier === undefined && !collidesWithOwn) continue;
    const other = earlier === undefined ? '/audience' : `/delivery/segments/${earlier}`;
    const text = `the segment may reach the same users as ${other}: name other channels, or countries that do not meet`;
    return { code: 'SEGMENTS_OVERLAP', text, pointer: `/delivery/segments/${index}/audience` };
  }
  return undefined;
}

/** Undefined for a one-shot. A recurrence that is not refused yields at least one occurrence. */
function recurrenceRefusal(
  { delivery, policy: { dst } }: Pick<Campaign, 'delivery' | 'policy'>,
  input: Pick<PlanInput, 'rules' | 'now' | 'after'>,
): PlanProblem | undefined {
  if (!('recurrence' in delivery) || delivery.recurrence === undefined) return undefined;
  const { recurrence } = delivery;
  const refused = ruleRefusal(delivery, recurrence, input);
  if (refused !== undefined) return refused;
  const text = neverFires(ruleOf(delivery, recurrence, input.rules, dst), shown(recurrence));
  if (text === undefined) return undefined;
  return { code: 'RECURRENCE_NEVER_FIRES', text, pointer: '/delivery/recurrence' };
}

/** Why a rule is not safe to expand. Cheap (some 20 µs): it does not judge whether the rule ever fires. */
export function ruleRefusal(
  delivery: RecurringDelivery,
  recurrence: string,
  { rules, now, after }: Pick<PlanInput, 'rules' | 'now' | 'after'>,
): PlanProblem | undefined {
  const pointer = '/delivery/recurrence';
  const refused = (text: string): PlanProblem => ({ code: 'INVALID_RECURRENCE', text, pointer });
  const parsed = parseRecurrence(recurrence);
  if (parsed.kind === 'refused') return refused(parsed.reason);
  const start = startOf(delivery);
  if (start === undefined) return refused('it starts at no wall time');
  const zone = delivery.kind === 'wall' ? delivery.zone : 'Etc/UTC';
  const until = untilOf(parsed.parts, delivery.kind === 'recipient' ? undefined : rules.table(zone));
  if (until === undefined) {
    return refused(
      `the UNTIL of ${shown(recurrence)} is no date, or in UTC where each recipient has a clock of their own: give a date or a wall time, such as UNTIL=20270630T090000`,
    );
  }
  if (after === undefined && now - start > OLDEST_START_MS)
    return refused('it starts more than ten years ago: give a later start');
  if (after === undefined && ((now - start) / DAY_MS) * mostPerDay(parsed.parts) > MOST_PAST_OCCURRENCES)
    return refused(`it starts more than ${MOST_PAST_OCCURRENCES} occurrences ago: give a later start`);
  return undefined;
}

/** `sent`: the rule as the publisher wrote it. */
function neverFires(rule: StartedRule, sent: string): string | undefined {
  const { start, until, holds } = rule;
  const first = firstOccurrence(rule);
  if (first === undefined)
    return `no day of the 40 years after ${formatLocal(start)} matches ${sent}: it would never fire`;
  if (until === null || (first <= until && holds?.(first) !== false)) return undefined;
  return `${sent} ends before its first occurrence, ${formatLocal(first)}: it would never fire; give a later UNTIL`;
}

function unknownZone(zone: string, pointer: string): PlanProblem {
  const text = `${shown(zone)} is no zone of the tz database, such as Asia/Seoul`;
  return { code: 'UNKNOWN_ZONE', text, pointer };
}
