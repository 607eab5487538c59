// What makes a campaign impossible to plan at all, found before any cell is decided. Acceptance checks the event's own
// form; what needs zone rules, the project or now is checked here.
import type { Delivery } from './campaign.js';
import type { PlanInput, PlanProblem } from './planned.js';
import { hasPossibleDay, OLDEST_START_MS, parseRecurrence, untilOf } from './recurrence-rule.js';
import { parseLocal } from './civil.js';

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
  return recurrenceRefusal(delivery, input);
}

/** Of a one-shot: none. What has none is safe to expand. */
export function recurrenceRefusal(
  delivery: Delivery,
  { rules, now, after }: Pick<PlanInput, 'rules' | 'now' | 'after'>,
): PlanProblem | undefined {
  if (!('recurrence' in delivery) || delivery.recurrence === undefined) return undefined;
  const refused = (text: string): PlanProblem => ({
    code: 'INVALID_RECURRENCE',
    text,
    pointer: '/delivery/recurrence',
  });
  const parsed = parseRecurrence(delivery.recurrence);
  if (parsed.kind === 'refused') return refused(parsed.reason);
  const start = delivery.kind === 'instant' ? delivery.at : parseLocal(delivery.local);
  if (start === undefined) return refused('it starts at no wall time');
  const zone = delivery.kind === 'wall' ? delivery.zone : 'Etc/UTC';
  const table = delivery.kind === 'recipient' ? undefined : rules.table(zone);
  if (untilOf(parsed.rule, table) === undefined) {
    return refused(
      'UNTIL is no date, or in UTC where each recipient has a clock of their own: leave off the Z',
    );
  }
  if (after === undefined && now - start > OLDEST_START_MS)
    return refused('it starts more than ten years ago');
  return hasPossibleDay(parsed.rule, start) ? undefined : refused('no day can match it');
}

function unknownZone(zone: string, pointer: string): PlanProblem {
  return { code: 'UNKNOWN_ZONE', text: `${zone} is no zone of the tz database`, pointer };
}
