// Which firings of a campaign are planned now (planning.md §3, §4): one for a one-shot, the next 35 days of a
// recurrence. Times of cells are not decided here.
import type { AskedTime } from './cell-time.js';
import { HOUR_MS, parseLocal, SECOND_MS, type LocalMs } from './civil.js';
import type { Delivery } from './campaign.js';
import { resolveLocal } from './local-time.js';
import type { PlanInput } from './planned.js';
import type { EpochMs, ZoneRules } from './ports.js';
import { expandRecurrence, nextOccurrence, occurrenceId, PLAN_AHEAD_MS } from './recurrence.js';
import { parseRecurrence, untilOf, type RecurrenceRule } from './recurrence-rule.js';
import { fixedTable, type TransitionTable } from './transition-table.js';

/** The occurrence of a campaign without a recurrence (§1). */
export const ONCE = 'once';

export interface AskedOccurrence {
  readonly occurrence: string;
  readonly asked: AskedTime;
  /** The first of a recurrence to be planned, or the only one: passedZone holds. */
  readonly first: boolean;
}

export interface AskedOccurrences {
  readonly occurrences: readonly AskedOccurrence[];
  readonly recurring: boolean;
  /** Occurrences of a recurrence that were over everywhere before it was planned. */
  readonly past: number;
  readonly nextLookAt?: EpochMs;
}

/** No zone is further ahead of UTC: on its clock a wall time comes first. */
const EARLIEST_ZONE_MS = 14 * HOUR_MS;
/** One planning expands no more than this; the rest follows at once, in the next. */
const MOST_OCCURRENCES = 1_000;
/** How far on a next occurrence is looked for. */
const LOOK_ON_MS = 40 * 366 * 24 * HOUR_MS;

export function askedOccurrences(input: PlanInput, tables: readonly TransitionTable[]): AskedOccurrences {
  const { delivery } = input.campaign;
  if ('recurrence' in delivery && delivery.recurrence !== undefined) {
    return recurring(input, delivery, delivery.recurrence, tables);
  }
  const once = { occurrence: ONCE, asked: askedOnce(delivery, input.now), first: true };
  const occurrences = input.leftOut?.has(ONCE) === true ? [] : [once];
  return { occurrences, recurring: false, past: 0 };
}

function askedOnce(delivery: Delivery, now: EpochMs): AskedTime {
  if (delivery.kind === 'instant') return { kind: 'instant', at: delivery.at };
  if (delivery.kind === 'now' || delivery.kind === 'schedule') return { kind: 'instant', at: now };
  return { kind: 'local', local: requireLocal(delivery.local) };
}

function recurring(
  { campaign, now, after, rules, leftOut }: PlanInput,
  delivery: RecurringDelivery,
  text: string,
  tables: readonly TransitionTable[],
): AskedOccurrences {
  const { rule, start } = ruleOf(delivery, text, rules);
  // One more, so that a look at nextLookAt itself finds what it looks for.
  const before = now + PLAN_AHEAD_MS + EARLIEST_ZONE_MS + 1;

  const ahead: AskedOccurrence[] = [];
  let past = 0;
  let last = after === undefined ? -Infinity : requireLocal(after);
  for (let more = true; more && ahead.length < MOST_OCCURRENCES;) {
    const found = expandRecurrence(rule, { start, after: last, before, limit: MOST_OCCURRENCES });
    more = found.length === MOST_OCCURRENCES;
    for (const local of found) {
      last = local;
      if (leftOut?.has(occurrenceId(local)) === true) continue;
      const asked: AskedTime =
        delivery.kind === 'instant' ? { kind: 'instant', at: local } : { kind: 'local', local };
      const grace = delivery.kind === 'recipient' ? 0 : campaign.policy.lateness.maxMs;
      if (after === undefined && ahead.length === 0 && isOver(asked, tables, now - grace)) past += 1;
      else {
        const first = after === undefined && ahead.length === 0;
        ahead.push({ occurrence: occurrenceId(local), asked, first });
      }
    }
  }
  const next = nextOccurrence(rule, start, Math.max(last, start - 1), LOOK_ON_MS);
  const nextLookAt = next === undefined ? undefined : Math.max(now, next - EARLIEST_ZONE_MS - PLAN_AHEAD_MS);
  return { occurrences: ahead, recurring: true, past, ...(nextLookAt === undefined ? {} : { nextLookAt }) };
}

type RecurringDelivery = Extract<Delivery, { kind: 'instant' | 'wall' | 'recipient' }>;

/** The rule on its own clock, and the wall time it counts from. Throws for what acceptance and planRefusal refuse. */
export function ruleOf(
  delivery: RecurringDelivery,
  text: string,
  rules: ZoneRules,
): { readonly rule: RecurrenceRule & { readonly until: LocalMs | null }; readonly start: LocalMs } {
  const parsed = parseRecurrence(text);
  if (parsed.kind === 'refused') throw new RangeError(parsed.reason);
  // A recurrence on an instant runs in UTC.
  const clock = delivery.kind === 'wall' ? rules.table(delivery.zone) : fixedTable(0);
  const until = untilOf(parsed.rule, delivery.kind === 'recipient' ? undefined : clock);
  if (until === undefined) throw new RangeError('UNTIL was not checked');
  const start: LocalMs =
    delivery.kind === 'instant'
      ? Math.floor(delivery.at / SECOND_MS) * SECOND_MS
      : requireLocal(delivery.local);
  return { rule: { ...parsed.rule, until }, start };
}

/** Whether the time came before `instant` on every clock there is. */
function isOver(asked: AskedTime, tables: readonly TransitionTable[], instant: EpochMs): boolean {
  if (asked.kind === 'instant') return asked.at < instant;
  const second = { gap: 'forward', overlap: 'second' } as const;
  return tables.every((table) => resolveLocal(asked.local, table, second).instant < instant);
}

function requireLocal(text: string): LocalMs {
  const local = parseLocal(text);
  if (local === undefined) throw new RangeError(`${text} is no wall time`);
  return local;
}
