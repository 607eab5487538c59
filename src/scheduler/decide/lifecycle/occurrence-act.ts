// Judges an act on one occurrence (planning.md §3): the occurrence is open, is not planned yet, or it is too late for an act.
// Pure; store/send/act.store.ts reads and moves the rows.
import { DAY_MS, parseLocal, type LocalMs } from '../../../zone-rules/civil.js';
import type { Campaign } from '../plan/campaign.js';
import { ruleRefusal } from '../plan/plan-refusals.js';
import type { PlanInput } from '../plan/plan-types.js';
import { ONCE, ruleOf } from '../recurrence/occurrences.js';
import { expandRecurrence, lastCounted, occurrenceId, uncounted } from '../recurrence/recurrence.js';
import { shown } from '../quote-value.js';
import { CANCELABLE_OCCURRENCE, isCanceled } from './campaign-state.js';

export interface OccurrenceFacts extends Pick<Campaign, 'delivery'>, Pick<Campaign['policy'], 'dst'> {
  /** Null where it has no row. */
  readonly state: string | null;
  /** The last occurrence that was planned; null where none was. */
  readonly plannedUntil: string | null;
}

/** `asked`: the act is to be done, whether it is planned or not. `canceled`: it was cancelled before. */
export type OccurrenceAct =
  | { readonly kind: 'asked' }
  | { readonly kind: 'canceled' }
  | {
      readonly kind: 'refused';
      readonly code: 'UNKNOWN_OCCURRENCE' | 'OCCURRENCE_TOO_FAR' | 'OCCURRENCE_CLOSED';
      readonly text: string;
    };

/** A rule is not searched further ahead than this: a rule with COUNT would have to be counted all the way. */
const FURTHEST_MS = 5 * 366 * DAY_MS;

export interface OccurrenceContext extends Pick<PlanInput, 'now' | 'rules'> {
  /**
   * By rule, the last wall time that its COUNT allows. Counting to 100 000 takes some 10 ms, so the acts of a batch share one
   * map; it begins empty.
   */
  readonly counted?: Map<string, LocalMs>;
}

export function judgeOccurrenceAct(
  facts: OccurrenceFacts,
  occurrence: string,
  context: OccurrenceContext,
): OccurrenceAct {
  const { state, plannedUntil } = facts;
  if ((CANCELABLE_OCCURRENCE as readonly (string | null)[]).includes(state)) return { kind: 'asked' };
  if (isCanceled(state)) return { kind: 'canceled' };
  if (state !== null) return closed(`the occurrence is ${state}`);
  const local = parseLocal(occurrence);
  if (local !== undefined && local > context.now + FURTHEST_MS) {
    const text = 'an occurrence can be changed at most five years ahead';
    return { kind: 'refused', code: 'OCCURRENCE_TOO_FAR', text };
  }
  if (!exists(facts, occurrence, context)) {
    const named = 'recurrence' in facts.delivery ? 'the start of one, such as "2027-03-01T09:00"' : '"once"';
    const text = `the campaign has no occurrence ${shown(occurrence)}: give ${named}`;
    return { kind: 'refused', code: 'UNKNOWN_OCCURRENCE', text };
  }
  // Ids sort as text. If planning has passed the occurrence and left no row, it was over before the campaign was planned.
  const passed = plannedUntil !== null && occurrence <= plannedUntil;
  return passed ? closed('the occurrence was over before the campaign was planned') : { kind: 'asked' };
}

function closed(text: string): OccurrenceAct {
  return { kind: 'refused', code: 'OCCURRENCE_CLOSED', text };
}

/** Whether the rule has an occurrence of this id, in the exact spelling of ids. */
function exists(
  { delivery, dst, plannedUntil }: OccurrenceFacts,
  occurrence: string,
  { now, rules, counted = new Map() }: OccurrenceContext,
): boolean {
  if (!('recurrence' in delivery) || delivery.recurrence === undefined) return occurrence === ONCE;
  const local = parseLocal(occurrence);
  if (local === undefined || occurrenceId(local) !== occurrence) return false;
  const { recurrence } = delivery;
  // A rule that planning will refuse has no occurrences. For a rule that never fires, the next lines find none.
  const after = plannedUntil ?? undefined;
  if (ruleRefusal(delivery, recurrence, { rules, now, after }) !== undefined) return false;
  const rule = ruleOf(delivery, recurrence, rules, dst);
  const window = { after: local - 1, before: local + 1, limit: 1 };
  if (expandRecurrence(uncounted(rule), window)[0] !== local) return false;
  const key = JSON.stringify(rule);
  const last = counted.get(key) ?? lastCounted(rule, now + FURTHEST_MS);
  counted.set(key, last);
  return local <= last;
}
