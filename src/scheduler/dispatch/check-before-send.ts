// Checks a send that is about to leave (planning.md §4, §5) against its project and revision as they are now: mode, lateness,
// night and quiet hours, deadline. The send leaves, waits here or is put back; what was decided earlier does not count. Pure.
import { lengthText } from '../decide/timing/length-text.js';
import { deadlineOf } from '../decide/lifecycle/deadline.js';
import { chooseMode, type Mode, type ModeRule, type ReservationLimits } from '../decide/timing/send-mode.js';
import type { SkipCode } from '../decide/plan/plan-types.js';
import { policyDefaults, type Policy } from '../decide/timing/campaign-policy.js';
import { zoneTable } from '../decide/audience/zone-by-name.js';
import { localFaultOf, type LocalFault } from '../push-client/blocks/local-fault.js';
import type { Project } from '../store/project.store.js';
import type { RevisionFacts, RevisionName } from '../store/send/fire.store.js';
import type { PutBackRow } from '../store/send/put-back.store.js';
import { firedFor } from './leave-on-time.js';
import type { QueuedSend } from './project-queue.js';
import type { EpochMs, ZoneRules } from '../../zone-rules/zone-rules.js';
import { fixedTable, type ZoneOffsets } from '../../zone-rules/zone-offsets.js';
import { judgeWindows, windowRules } from '../decide/timing/window-rules.js';

/** A send that may leave. */
export interface Ready {
  readonly entry: QueuedSend;
  readonly facts: RevisionFacts;
  readonly check: Extract<SendCheck, { kind: 'fire' }>;
}

/** A send that does not leave now; `fault`: why this process cannot call the project. */
export interface PutBack {
  readonly kind: 'put-back';
  readonly entry: QueuedSend;
  readonly row: PutBackRow;
  readonly fault?: LocalFault;
}

type Judged =
  | ({ readonly kind: 'ready' } & Ready)
  /** It leaves so soon that it waits in this process. */
  | { readonly kind: 'soon'; readonly at: EpochMs }
  | PutBack;

/** The facts that all checks of a round share. */
interface CheckWith {
  readonly projects: ReadonlyMap<string, Project>;
  readonly factsOf: (name: RevisionName) => RevisionFacts | undefined;
  readonly rules: ZoneRules;
  readonly now: EpochMs;
  /** A send that leaves within this waits in this process, milliseconds. */
  readonly aheadMs: number;
}

/** A send whose project or revision could not be read is checked again after this: it is not cached yet, or was deleted. */
const UNREADABLE_WAIT_MS = 5_000;

export function checkQueued(
  entry: QueuedSend,
  { projects, factsOf, now, aheadMs, rules }: CheckWith,
): Judged {
  const project = projects.get(entry.serviceId);
  const facts = factsOf(entry);
  if (project === undefined || facts === undefined)
    return putBack(entry, { code: 'PROJECT_UNREADABLE', handOffAt: now + UNREADABLE_WAIT_MS });
  const check = checkBeforeSend({
    now: firedFor(entry.at, now),
    scheduled: entry.mode === 'scheduled',
    intendedAt: entry.intendedAt,
    dueAt: entry.dueAt,
    until: facts.until,
    attempts: entry.attempts,
    byHand: entry.byHand,
    messageType: facts.messageType,
    policy: entry.isTest ? testPolicy(facts.policy) : { ...policyDefaults, ...facts.policy },
    project,
    table: zoneTable(entry.zone, rules) ?? fixedTable(0),
  });
  if (check.kind === 'later') {
    const { at, mode, rule, dueAt } = check;
    if (dueAt === entry.dueAt && at <= now + aheadMs) return { kind: 'soon', at };
    return putBack(entry, { code: rule, handOffAt: at, mode, modeRule: rule, dueAt });
  }
  if (check.kind !== 'fire')
    return putBack(entry, { state: check.kind, code: check.code, detail: check.detail });
  const fault = localFaultOf(project);
  if (fault === undefined) return { kind: 'ready', entry, facts, check };
  return { ...putBack(entry, { code: fault.code, detail: fault.text }), fault };
}

/** A test goes at once; only its lateness is the campaign's. What the push service says about consent holds. */
function testPolicy({ lateness = policyDefaults.lateness }: Partial<Policy>): Policy {
  return { ...policyDefaults, night: 'consented', quietHours: null, handoff: 'hold', lateness };
}

/** The send stays planned, with all columns as they are except those of `differs`. */
export function putBack(entry: QueuedSend, differs: Partial<PutBackRow>): PutBack {
  const { id, attempts, changes } = entry;
  const asItIs = { code: null, detail: null, handOffAt: null, mode: null, modeRule: null, dueAt: null };
  return {
    kind: 'put-back',
    entry,
    row: { id, attempts, changes, state: 'planned', ...asItIs, ...differs },
  };
}

interface CheckFacts
  extends
    Pick<QueuedSend, 'intendedAt' | 'dueAt' | 'attempts' | 'byHand'>,
    Pick<RevisionFacts, 'until' | 'messageType'> {
  readonly now: EpochMs;
  readonly scheduled: boolean;
  readonly policy: Policy;
  readonly project: ReservationLimits;
  /** The clock of the send's cell. */
  readonly table: ZoneOffsets;
}

interface Leaves {
  readonly mode: Mode;
  readonly rule: ModeRule;
  readonly dueAt: EpochMs | null;
}

export type SendCheck =
  | ({ readonly kind: 'fire' } & Leaves)
  | ({ readonly kind: 'later'; readonly at: EpochMs } & Leaves)
  | { readonly kind: 'expired'; readonly code: 'LATE' | 'UNTIL_PASSED'; readonly detail: string }
  | { readonly kind: 'skipped'; readonly code: SkipCode; readonly detail: string };

export function checkBeforeSend(facts: CheckFacts): SendCheck {
  const { now, scheduled, dueAt, intendedAt, until } = facts;
  if (scheduled || dueAt === null || intendedAt === null) {
    if (until !== null && until <= now) {
      return {
        kind: 'expired',
        code: 'UNTIL_PASSED',
        detail: 'its `until` passed before it could be attached',
      };
    }
    return { kind: 'fire', mode: 'scheduled', rule: 'SCHEDULE_CODE', dueAt };
  }
  const { lateness } = facts.policy;
  const lateMs = now - dueAt;
  if (lateMs > lateness.maxMs && lateness.beyond === 'expire') {
    const detail = `${lengthText(lateMs)} late, ${lengthText(lateness.maxMs)} allowed`;
    return { kind: 'expired', code: 'LATE', detail };
  }
  // The first attempt of a retry by hand may come after the deadline; further attempts may not.
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
  const judged = judgeWindows(goesAt, facts.table, windowRules(facts.messageType, policy), deadlineAt);
  if (judged.skipped !== undefined)
    return { kind: 'skipped', code: judged.skipped, detail: 'it became late inside the window' };
  if (judged.at > deadlineAt) return past(judged.at);
  // Only a window moves the due. A send that is only late keeps its due, from which its lateness is measured.
  const movedDue = judged.at === goesAt ? dueAt : judged.at;
  const { mode, rule, handOffAt } = chooseMode({
    dueAt: movedDue,
    now,
    scheduled: false,
    handoff: policy.handoff,
    project: facts.project,
  });
  const leaves = { mode, rule, dueAt: movedDue };
  return handOffAt > now ? { kind: 'later', at: handOffAt, ...leaves } : { kind: 'fire', ...leaves };
}
