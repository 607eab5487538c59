// What a cancel of one occurrence meets (planning.md §3): it stands, it is not planned yet, or there is nothing to cancel.
// Pure; the rows are read and moved by store/send/cancel.store.ts.
import { CANCELABLE_OCCURRENCE, isCanceled } from './campaign-state.js';
import type { Delivery } from '../plan/campaign.js';
import { DAY_MS, parseLocal } from '../../../zone-rules/civil.js';
import { ONCE, ruleOf } from '../recurrence/occurrences.js';
import { recurrenceRefusal } from '../plan/plan-refusals.js';
import type { DstPolicy } from '../timing/policy.js';
import { shown } from '../shown-value.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';
import { expandRecurrence, occurrenceId } from '../recurrence/recurrence.js';

export interface OccurrenceFacts {
  readonly delivery: Delivery;
  readonly dst: DstPolicy;
  /** Null: it has no row. */
  readonly state: string | null;
  /** The last occurrence that was planned; null while none was. */
  readonly plannedUntil: string | null;
}

/** `asked`: it is cancelled now, planned or not. `already`: it was before, and nothing changes. */
export type OccurrenceCancel =
  | { readonly kind: 'asked' | 'already' }
  | {
      readonly kind: 'refused';
      readonly code: 'UNKNOWN_OCCURRENCE' | 'OCCURRENCE_TOO_FAR' | 'OCCURRENCE_CLOSED';
      readonly text: string;
    };

/** Further ahead a rule is not searched: one with a COUNT would be counted through. */
const FURTHEST_MS = 5 * 366 * DAY_MS;

export interface OccurrenceContext {
  readonly now: EpochMs;
  readonly rules: ZoneRules;
}

export function judgeOccurrenceCancel(
  facts: OccurrenceFacts,
  occurrence: string,
  context: OccurrenceContext,
): OccurrenceCancel {
  const { state, plannedUntil } = facts;
  if ((CANCELABLE_OCCURRENCE as readonly (string | null)[]).includes(state)) return { kind: 'asked' };
  if (isCanceled(state)) return { kind: 'already' };
  if (state !== null) return closed(`the occurrence is ${state}`);
  const local = parseLocal(occurrence);
  if (local !== undefined && local > context.now + FURTHEST_MS) {
    const text = 'an occurrence can be cancelled at most five years ahead';
    return { kind: 'refused', code: 'OCCURRENCE_TOO_FAR', text };
  }
  if (!isYielded(facts, occurrence, context)) {
    const taken = 'recurrence' in facts.delivery ? 'the start of one, such as "2027-03-01T09:00"' : '"once"';
    const text = `the campaign has no occurrence ${shown(occurrence)}: taken is ${taken}`;
    return { kind: 'refused', code: 'UNKNOWN_OCCURRENCE', text };
  }
  // Ids order as text. Planning went past it and left it out: it was over before.
  const passed = plannedUntil !== null && occurrence <= plannedUntil;
  return passed ? closed('the occurrence was over before the campaign was planned') : { kind: 'asked' };
}

function closed(text: string): OccurrenceCancel {
  return { kind: 'refused', code: 'OCCURRENCE_CLOSED', text };
}

/** Whether it is an id of the rule, spelt as ids are. */
function isYielded(
  { delivery, dst, plannedUntil }: OccurrenceFacts,
  occurrence: string,
  { now, rules }: OccurrenceContext,
): boolean {
  if (!('recurrence' in delivery) || delivery.recurrence === undefined) return occurrence === ONCE;
  const local = parseLocal(occurrence);
  if (local === undefined || occurrenceId(local) !== occurrence) return false;
  // A rule that planning is going to refuse has no occurrences.
  const after = plannedUntil ?? undefined;
  if (recurrenceRefusal({ delivery, dst }, { rules, now, after }) !== undefined) return false;
  const rule = ruleOf(delivery, delivery.recurrence, rules, dst);
  return expandRecurrence(rule, { after: local - 1, before: local + 1, limit: 1 })[0] === local;
}
