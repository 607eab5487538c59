// Decides which occurrences of a campaign are worked out now (planning.md §3, §4): one for a one-shot; for a recurrence, at its first
// planning those of the next 35 days, later those of a shorter window that moves on. Does not decide the times of cells.
import { DAY_MS, HOUR_MS, parseLocal, SECOND_MS, type LocalMs } from '../../../zone-rules/civil.js';
import { fixedTable, type ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';
import { requireZoneTable } from '../audience/zone-by-name.js';
import { deadlineOf } from '../lifecycle/deadline.js';
import type { Campaign, Delivery } from '../plan/campaign.js';
import type { PlanInput } from '../plan/plan-types.js';
import type { AskedTime } from '../timing/cell-time.js';
import { resolveLocal } from '../timing/local-time.js';
import type { DstPolicy } from '../timing/campaign-policy.js';
import {
  expandRecurrence,
  nextOccurrence,
  occurrenceId,
  PLAN_AHEAD_MS,
  SHOWN_AHEAD_MS,
  type StartedRule,
} from './recurrence.js';
import { parseRecurrence, untilOf } from './recurrence-rule.js';

/** The occurrence of a campaign without a recurrence (planning.md §1). */
export const ONCE = 'once';

interface AskedOccurrence {
  readonly occurrence: string;
  readonly asked: AskedTime;
  /** The only occurrence, or the first planned one of a recurrence: passedZone applies. */
  readonly first: boolean;
  /** It was over on every clock before a pause of its campaign ended. */
  readonly paused?: true;
}

export interface AskedOccurrences {
  readonly occurrences: readonly AskedOccurrence[];
  readonly recurring: boolean;
  /** How many occurrences of a recurrence were over everywhere before it was planned. */
  readonly past: number;
  /** Recurrences only: the first occurrence that is not planned now, on the rule's clock. */
  readonly next?: LocalMs | undefined;
  readonly nextLookAt?: EpochMs | undefined;
}

/** The zone furthest ahead of UTC, where a wall time comes first. */
export const EARLIEST_ZONE_MS = 14 * HOUR_MS;
/** The most occurrences of one planning; the rest follows at once, in the next one. */
export const MOST_OCCURRENCES = 1_000;
/** How far ahead the next occurrence is searched for. */
export const LOOK_ON_MS = 40 * 366 * DAY_MS;

export function askedOccurrences(input: PlanInput, tables: readonly ZoneOffsets[]): AskedOccurrences {
  const { delivery } = input.campaign;
  if ('recurrence' in delivery && delivery.recurrence !== undefined) {
    return recurring(input, delivery, delivery.recurrence, tables);
  }
  const once = { occurrence: ONCE, asked: askedOnce(delivery, input.now), first: true };
  const occurrences = input.leftOut?.has(ONCE) === true ? [] : [once];
  return { occurrences, recurring: false, past: 0 };
}

function askedOnce(delivery: Delivery, now: EpochMs): AskedTime {
  if (delivery.kind === 'wall' || delivery.kind === 'recipient')
    return { kind: 'local', local: requireLocal(delivery.local) };
  return { kind: 'instant', at: delivery.kind === 'instant' ? delivery.at : now };
}

function recurring(
  input: PlanInput,
  delivery: RecurringDelivery,
  text: string,
  tables: readonly ZoneOffsets[],
): AskedOccurrences {
  const { campaign, now, after, rules } = input;
  const rule = ruleOf(delivery, text, rules, campaign.policy.dst);
  const askedAt = (local: LocalMs): AskedTime =>
    delivery.kind === 'instant' ? { kind: 'instant', at: local } : { kind: 'local', local };
  const grace = delivery.kind === 'recipient' ? 0 : campaign.policy.lateness.maxMs;

  const over =
    after === undefined
      ? overBefore(rule, now - grace, tables, askedAt)
      : { count: 0, last: requireLocal(after) };
  const { ahead, last } = aheadOf(rule, over.last, input);
  // The last occurrence that is over may still go, but not beside an occurrence that has begun.
  const [first] = ahead;
  const begun = first !== undefined && isOver(askedAt(first), tables, now, 'some');
  const late = over.count > 0 && !begun && passedZoneApplies(over.last, input, tables);
  const next = nextOccurrence(rule, last, LOOK_ON_MS);
  return {
    occurrences: (late ? [over.last, ...ahead] : ahead).map((local, index) => ({
      occurrence: occurrenceId(local),
      asked: askedAt(local),
      first: after === undefined && index === 0,
      ...(isOverBefore(askedAt(local), tables, input) && { paused: true as const }),
    })),
    recurring: true,
    past: late ? over.count - 1 : over.count,
    next,
    nextLookAt: next === undefined ? next : Math.max(now, lookAt(next, input)),
  };
}

export type RecurringDelivery = Extract<Delivery, { kind: 'instant' | 'wall' | 'recipient' }>;

/** How many occurrences were over on every clock before `instant`, and the last of them; without any, a time before the first. */
function overBefore(
  rule: StartedRule,
  instant: EpochMs,
  tables: readonly ZoneOffsets[],
  askedAt: (local: LocalMs) => AskedTime,
): { readonly count: number; readonly last: LocalMs } {
  // No clock is more than a day away from UTC.
  const found = expandRecurrence(rule, { after: -Infinity, before: instant + DAY_MS, limit: Infinity });
  const next = found.findIndex((local) => !isOver(askedAt(local), tables, instant, 'every'));
  const count = next === -1 ? found.length : next;
  return { count, last: found[count - 1] ?? rule.start - 1 };
}

/** When an occurrence comes into the planning window. */
function lookAt(local: LocalMs, { aheadMs = PLAN_AHEAD_MS }: Pick<PlanInput, 'aheadMs'>): EpochMs {
  return local - EARLIEST_ZONE_MS - aheadMs;
}

/**
 * How many of the worked-out occurrences of a first plan are planned now, and when the first of the others is planned. All are
 * planned now where the campaign names its plan.
 */
export function plannedAtOnce(
  occurrences: readonly { readonly occurrence: string }[],
  input: Pick<PlanInput, 'campaign' | 'now' | 'after' | 'aheadMs'>,
): { readonly count: number; readonly nextLookAt?: EpochMs } {
  const all = { count: occurrences.length };
  const { campaign, now, after } = input;
  const { delivery, planHash } = campaign;
  const goesOn = 'recurrence' in delivery && delivery.recurrence !== undefined;
  if (!goesOn || after !== undefined || planHash !== undefined) return all;
  const looks = occurrences.map(({ occurrence }) => lookAt(requireLocal(occurrence), input));
  const count = looks.findIndex((at) => at > now);
  const nextLookAt = looks[count];
  return nextLookAt === undefined ? all : { count, nextLookAt };
}

/** The delivery and the DST policy of a campaign, and how far its occurrences are planned. */
export interface PlannedSoFar extends Pick<Campaign, 'delivery'>, Pick<Campaign['policy'], 'dst'> {
  /** The last occurrence that was planned; null where none was. */
  readonly plannedUntil: string | null;
  readonly canceled: readonly string[];
}

/** Whether nothing of a recurrence is to come on any clock: no clock is more than a day behind UTC. */
export function hasEnded(
  { delivery, dst }: Pick<PlannedSoFar, 'delivery' | 'dst'>,
  { now, rules }: Pick<PlanInput, 'now' | 'rules'>,
): boolean {
  if (!('recurrence' in delivery) || delivery.recurrence === undefined) return false;
  if (!isRule(delivery, delivery.recurrence, rules)) return false;
  const rule = ruleOf(delivery, delivery.recurrence, rules, dst);
  return nextOccurrence(rule, now - DAY_MS, LOOK_ON_MS) === undefined;
}

/** The wall time from which on nothing is shown. */
export function shownTo(now: EpochMs): LocalMs {
  return now + SHOWN_AHEAD_MS + EARLIEST_ZONE_MS;
}

/**
 * The occurrences to come that are shown and not planned yet, at most `most`. Their cells are decided when they are planned, by the
 * audience and the settings at that time.
 */
export function notYetPlanned(
  { delivery, dst, plannedUntil, canceled }: PlannedSoFar,
  { now, rules }: Pick<PlanInput, 'now' | 'rules'>,
  most: number,
): string[] {
  if (!('recurrence' in delivery) || delivery.recurrence === undefined) return [];
  if (!isRule(delivery, delivery.recurrence, rules)) return [];
  const after = plannedUntil === null ? now - DAY_MS : requireLocal(plannedUntil);
  const leftOut = new Set(canceled);
  const window = { after, before: shownTo(now), limit: MOST_OCCURRENCES };
  return expandRecurrence(ruleOf(delivery, delivery.recurrence, rules, dst), window)
    .map(occurrenceId)
    .filter((occurrence) => !leftOut.has(occurrence))
    .slice(0, most);
}

/** The occurrences after `after` to be planned now, without those left out; `last` is the last one seen. */
function aheadOf(
  rule: StartedRule,
  after: LocalMs,
  input: PlanInput,
): { readonly ahead: readonly LocalMs[]; readonly last: LocalMs } {
  const { now, lookedAt = now, leftOut, atMost = MOST_OCCURRENCES } = input;
  const aheadMs = input.after === undefined ? SHOWN_AHEAD_MS : (input.aheadMs ?? PLAN_AHEAD_MS);
  // One millisecond more, so that a planning at nextLookAt itself finds the next occurrence.
  const before = lookedAt + aheadMs + EARLIEST_ZONE_MS + 1;
  const ahead: LocalMs[] = [];
  let last = after;
  for (let more = true; more && ahead.length < atMost;) {
    const found = expandRecurrence(rule, { after: last, before, limit: atMost });
    more = found.length === atMost;
    last = found.at(-1) ?? last;
    ahead.push(...found.filter((local) => leftOut?.has(occurrenceId(local)) !== true));
  }
  return { ahead, last };
}

/**
 * Not specified (planning.md §4): which occurrence is "the first planned" where the last occurrence is over in every zone. It is
 * this last one while the policy still decides about it, as it would about a one-shot: `send-now` and `reject` within its deadline,
 * `floor` until the floor's own clock reaches its wall time. With the other policies it is left out as over.
 */
function passedZoneApplies(
  local: LocalMs,
  { campaign: { delivery, policy }, now, leftOut, rules }: PlanInput,
  tables: readonly ZoneOffsets[],
): boolean {
  const { passedZone, deadline, dst } = policy;
  if (delivery.kind !== 'recipient' || leftOut?.has(occurrenceId(local)) === true) return false;
  switch (passedZone.kind) {
    case 'skip':
    case 'next-day':
      return false;
    case 'send-now':
    case 'reject':
      return tables.some(
        (table) => deadlineOf(resolveLocal(local, table, dst).instant, deadline, table) >= now,
      );
    case 'floor':
      return resolveLocal(local, requireZoneTable(passedZone.zone, rules), dst).instant >= now;
    default:
      return passedZone satisfies never;
  }
}

/** Whether ruleOf() takes it: planRefusal says in words why not. */
export function isRule(delivery: RecurringDelivery, recurrence: string, rules: ZoneRules): boolean {
  const parsed = parseRecurrence(recurrence);
  if (parsed.kind === 'refused' || startOf(delivery) === undefined) return false;
  return untilOf(parsed.parts, endClock(delivery, rules)) !== undefined;
}

/** The rule on its own clock, and the wall time from which it counts. Throws for rules that acceptance and planRefusal refuse. */
export function ruleOf(
  delivery: RecurringDelivery,
  text: string,
  rules: ZoneRules,
  dst: DstPolicy,
): StartedRule {
  const parsed = parseRecurrence(text);
  if (parsed.kind === 'refused') throw new RangeError(parsed.reason);
  const { parts } = parsed;
  const clock = endClock(delivery, rules);
  const end = untilOf(parts, clock);
  const start = startOf(delivery);
  if (end === undefined || start === undefined) throw new RangeError('the recurrence was not checked');
  if (end?.instant === undefined || clock === undefined) return { parts, start, until: end?.local ?? null };
  const { instant } = end;
  // On the wall clock a repeated hour of that day may come after UNTIL and still be before its instant.
  const holds = (local: LocalMs): boolean => resolveLocal(local, clock, dst).instant <= instant;
  return { parts, start, until: end.local + DAY_MS, holds };
}

/** The clock by which UNTIL in UTC is read; undefined where each recipient has one of their own. */
function endClock(delivery: RecurringDelivery, rules: ZoneRules): ZoneOffsets | undefined {
  if (delivery.kind === 'recipient') return undefined;
  // A recurrence that starts at an instant runs in UTC.
  return delivery.kind === 'wall' ? rules.table(delivery.zone) : fixedTable(0);
}

/** The wall time from which a rule counts, in whole seconds; undefined for text that is no wall time. */
export function startOf(delivery: RecurringDelivery): LocalMs | undefined {
  return delivery.kind === 'instant'
    ? Math.floor(delivery.at / SECOND_MS) * SECOND_MS
    : parseLocal(delivery.local);
}

/** Whether the time came before `instant` on every clock, or on some. */
function isOver(
  asked: AskedTime,
  tables: readonly ZoneOffsets[],
  instant: EpochMs,
  clocks: 'every' | 'some',
): boolean {
  if (asked.kind === 'instant') return asked.at < instant;
  const second = { gap: 'forward', overlap: 'second' } as const;
  return tables[clocks]((table) => resolveLocal(asked.local, table, second).instant < instant);
}

/** Whether the occurrence passed while its campaign was paused. */
function isOverBefore(
  asked: AskedTime,
  tables: readonly ZoneOffsets[],
  { after, resumedAt }: Pick<PlanInput, 'after' | 'resumedAt'>,
): boolean {
  return after !== undefined && resumedAt !== undefined && isOver(asked, tables, resumedAt, 'every');
}

function requireLocal(text: string): LocalMs {
  const local = parseLocal(text);
  if (local === undefined) throw new RangeError(`${text} is no wall time`);
  return local;
}
