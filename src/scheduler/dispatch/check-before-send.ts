// The second look at a send, as it is about to leave (planning.md §4, §5): mode, lateness, night and quiet hours,
// deadline. Pure; its answer is the one that counts.
import type { MessageType } from '../../push-contract/statuses.js';
import { deadlineOf } from '../decide/lifecycle/deadline.js';
import { chooseMode, type Mode, type ModeRule, type ReservationLimits } from '../decide/timing/mode.js';
import type { SkipCode } from '../decide/plan/plan-types.js';
import type { Policy } from '../decide/timing/policy.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { ZoneOffsets } from '../../zone-rules/zone-offsets.js';
import { judgeWindows, windowRules } from '../decide/timing/windows.js';

export interface CheckFacts {
  readonly now: EpochMs;
  readonly scheduled: boolean;
  /** Null only of a standing message. */
  readonly intendedAt: EpochMs | null;
  readonly dueAt: EpochMs | null;
  /** Of a standing message. */
  readonly until: EpochMs | null;
  readonly attempts: number;
  /** A retry by hand: its first attempt may come after the deadline, its automatic repeats may not. */
  readonly byHand: boolean;
  readonly messageType: MessageType;
  readonly policy: Policy;
  readonly project: ReservationLimits;
  /** The clock of the send's cell. */
  readonly table: ZoneOffsets;
}

export type SendCheck =
  | { readonly kind: 'fire'; readonly mode: Mode; readonly rule: ModeRule; readonly dueAt: EpochMs | null }
  | {
      readonly kind: 'later';
      readonly at: EpochMs;
      readonly mode: Mode;
      readonly rule: ModeRule;
      readonly dueAt: EpochMs;
    }
  | { readonly kind: 'expired'; readonly code: 'LATE' | 'UNTIL_PASSED'; readonly detail: string }
  | { readonly kind: 'skipped'; readonly code: SkipCode; readonly detail: string };

export function checkBeforeSend(facts: CheckFacts): SendCheck {
  const { now, scheduled, dueAt, intendedAt, until } = facts;
  if (scheduled || dueAt === null || intendedAt === null) {
    if (until !== null && until <= now) {
      return { kind: 'expired', code: 'UNTIL_PASSED', detail: 'it was to end before it could be attached' };
    }
    return { kind: 'fire', mode: 'scheduled', rule: 'SCHEDULE_CODE', dueAt };
  }
  const { lateness } = facts.policy;
  const lateMs = now - dueAt;
  if (lateMs > lateness.maxMs && lateness.beyond === 'expire') {
    return { kind: 'expired', code: 'LATE', detail: `${lateMs} ms late, ${lateness.maxMs} ms allowed` };
  }
  const deadlineAt =
    facts.byHand && facts.attempts === 0
      ? Infinity
      : deadlineOf(intendedAt, facts.policy.deadline, facts.table);
  return atDue(facts, dueAt, deadlineAt);
}

function atDue(facts: CheckFacts, dueAt: EpochMs, deadlineAt: EpochMs): SendCheck {
  const { now, policy } = facts;
  const goesAt = Math.max(dueAt, now);
  const past = (at: EpochMs): SendCheck => ({
    kind: 'skipped',
    code: 'DEADLINE',
    detail: `${at - deadlineAt} ms past it`,
  });
  if (goesAt > deadlineAt) return past(goesAt);
  const judged = judgeWindows(goesAt, facts.table, windowRules(facts.messageType, policy), deadlineAt);
  if (judged.skipped !== undefined)
    return { kind: 'skipped', code: judged.skipped, detail: 'it became late inside the window' };
  if (judged.at > deadlineAt) return past(judged.at);
  // Due moves only where a window moved it; what is merely late keeps the due it is late against.
  const movedDue = judged.at === goesAt ? dueAt : judged.at;
  const { mode, rule, handOffAt } = chooseMode({
    dueAt: movedDue,
    now,
    scheduled: false,
    handoff: policy.handoff,
    project: facts.project,
  });
  return handOffAt > now
    ? { kind: 'later', at: handOffAt, mode, rule, dueAt: movedDue }
    : { kind: 'fire', mode, rule, dueAt: movedDue };
}
