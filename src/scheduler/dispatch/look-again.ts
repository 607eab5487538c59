// The second look at the sends that are about to leave, by their projects and revisions as they are now: which leave, which
// wait here, which are settled. Pure.
import { policyDefaults } from '../decide/timing/policy.js';
import type { EpochMs, ZoneRules } from '../../zone-rules/zone-rules.js';
import { fixedTable } from '../../zone-rules/zone-offsets.js';
import { zoneTable } from '../decide/audience/zones.js';
import { localFaultOf, type LocalFault } from '../push-client/local-fault.js';
import type { RevisionFacts } from '../store/send/fire.store.js';
import type { Project } from '../store/project.store.js';
import type { Settlement } from '../store/send/settle.store.js';
import type { QueuedSend } from './project-queue.js';
import { firedFor } from './leave-on-time.js';
import type { RevisionName } from './revision-cache.js';
import { checkBeforeSend, type SendCheck } from './check-before-send.js';
import { asItIs, putBackOf } from './put-back.js';

/** A send that may leave. */
export interface Ready {
  readonly entry: QueuedSend;
  readonly facts: RevisionFacts;
  readonly look: Extract<SendCheck, { kind: 'fire' }>;
}

type Judged =
  | ({ readonly kind: 'ready' } & Ready)
  /** It leaves so soon that it waits here. */
  | { readonly kind: 'soon'; readonly entry: QueuedSend; readonly at: EpochMs }
  /** `fault`: for it the project cannot be called from here. */
  | {
      readonly kind: 'settled';
      readonly entry: QueuedSend;
      readonly settlement: Settlement;
      readonly fault?: LocalFault;
    };

export interface CheckParts {
  readonly projects: ReadonlyMap<string, Project>;
  readonly factsOf: (name: RevisionName) => RevisionFacts | undefined;
  readonly rules: ZoneRules;
  readonly now: EpochMs;
  /** Sends wait here up to then. */
  readonly aheadMs: number;
}

/** A row that the caches do not know yet, or that somebody deleted. */
const UNREADABLE_WAIT_MS = 5_000;

export function lookAgain(entry: QueuedSend, parts: CheckParts): Judged {
  const { now, aheadMs, rules } = parts;
  const project = parts.projects.get(entry.serviceId);
  const facts = parts.factsOf(entry);
  if (project === undefined || facts === undefined) {
    const handOffAt = now + UNREADABLE_WAIT_MS;
    return {
      kind: 'settled',
      entry,
      settlement: { ...asItIs(entry), code: 'PROJECT_UNREADABLE', handOffAt },
    };
  }
  const look = checkBeforeSend({
    now: firedFor(entry.at, now),
    scheduled: entry.mode === 'scheduled',
    intendedAt: entry.intendedAt,
    dueAt: entry.dueAt,
    until: facts.until,
    attempts: entry.attempts,
    byHand: entry.byHand,
    messageType: facts.messageType,
    policy: { ...policyDefaults, ...facts.policy },
    project,
    table: zoneTable(entry.zone, rules) ?? fixedTable(0),
  });
  if (look.kind !== 'fire') {
    if (look.kind === 'later' && look.dueAt === entry.dueAt && look.at <= now + aheadMs)
      return { kind: 'soon', entry, at: look.at };
    return { kind: 'settled', entry, settlement: putBackOf(entry, look) };
  }
  const fault = localFaultOf(project);
  if (fault === undefined) return { kind: 'ready', entry, facts, look };
  const settlement = { ...asItIs(entry), code: fault.code, detail: fault.text };
  return { kind: 'settled', entry, settlement, fault };
}
