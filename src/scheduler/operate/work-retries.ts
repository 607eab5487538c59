// Works on sets of retries: judges what would become of each send, asks whether somebody got it, and makes the retries of a
// confirmed set.
import type { EpochMs } from '../../platform/clock.js';
import type { Sql } from '../../platform/database/database.js';
import { policyDefaults } from '../decide/timing/campaign-policy.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { fixedTable } from '../../zone-rules/zone-offsets.js';
import { judgeWindows, windowRules } from '../decide/timing/window-rules.js';
import { zoneTable } from '../decide/audience/zone-by-name.js';
import { revisionFacts, type RevisionFacts } from '../store/send/fire.store.js';
import { STEPS, type SetCounts, type SetMove, type SetProject } from '../store/send/send-set.store.js';
import { makeRetries, retryCandidates, type RetryCandidate } from '../store/send/retry.store.js';
import type { AskDelivered, Delivered } from './ask-delivered.js';
import { addFact, isTooOld, TOO_OLD } from './retry-facts.js';
import { add, BLOCKED, type Moves, type SetDeps, type SetWork } from './work-sets.js';

export interface RetryWorkDeps extends Pick<SetDeps, 'database' | 'clock'> {
  readonly rules: ZoneRules;
  readonly askDelivered: AskDelivered;
}

/** As long as a preview is valid: it does not wait for a project that is blocked longer. */
const LONGEST_BLOCK_MS = 3_600_000;
/** The search for a free minute ends after this time, as where the windows leave no minute of the day free. */
const WINDOWS_SEEN_MS = 7 * 86_400_000;

export class WorkRetries implements SetWork {
  constructor(private readonly deps: RetryWorkDeps) {}

  async find(
    { counts, facts: seen, filter, createdAt }: SetProject,
    sends: readonly string[],
    rate: number,
  ): Promise<Moves> {
    const { database, rules, clock } = this.deps;
    const now = clock.now();
    const found = await retryCandidates(database, sends);
    const revisions = [...new Map(found.map((one) => [revisionOf(one), one])).values()];
    const read = await revisionFacts(database, revisions);
    const facts = new Map(read.map((one) => [revisionOf(one), one]));
    const moves: Moves = new Map();
    for (const one of found) {
      const dueAt = one.refusal === null ? nextDue(counts, rate, now) : now;
      const { at, skipped } = judgeDue(one, facts.get(revisionOf(one)), dueAt, rules);
      const old = filter.stale !== true && isTooOld(one, createdAt.getTime()) ? TOO_OLD : undefined;
      const code = one.refusal ?? old ?? skipped;
      moves.set(one.id, code ?? (one.askAbout === null ? STEPS.act : STEPS.ask));
      if (code !== undefined) continue;
      countDue(counts, at);
      addFact(seen, one);
      if (at > dueAt) add(counts, 'deferred');
    }
    return moves;
  }

  /** Whether anybody got them. Sends that could not be asked about are missing. */
  async ask({ serviceId, step, facts }: SetProject, sends: readonly string[]): Promise<Moves> {
    const { database, askDelivered, clock } = this.deps;
    // If a send is kept no longer, its retry is refused when it is made.
    const moves: Moves = new Map(sends.map((send) => [send, STEPS.act]));
    const found = await retryCandidates(database, sends);
    await Promise.all(
      found.map(async (one) => {
        const { id, askAbout } = one;
        const to = moveAfter(await askDelivered(serviceId, askAbout ?? ''), step, clock.now());
        if (typeof to === 'string') addFact(facts, one, -1);
        if (to === undefined) moves.delete(id);
        else moves.set(id, to);
      }),
    );
    return moves;
  }

  async act(sql: Sql, part: SetProject, sends: readonly string[], rate: number): Promise<Moves> {
    const { by, counts } = part;
    const now = this.deps.clock.now();
    const order = { now, by, nextDue: () => nextDue(counts, rate, now) };
    const moves: Moves = new Map();
    for (const [send, retry] of await makeRetries(sql, sends, order)) {
      moves.set(send, typeof retry === 'string' ? retry : STEPS.done);
      if (typeof retry !== 'string') countDue(counts, retry.dueAt);
    }
    return moves;
  }

  ended({ counts, leftOut }: SetProject) {
    const { done: retried = 0, firstDueAt, lastDueAt } = counts;
    const due = retried === 0 ? null : [firstDueAt, lastDueAt].map((at) => new Date(at ?? 0));
    return { action: 'retries.done', after: { state: 'done', retried, leftOut, due } };
  }
}

function countDue(counts: SetCounts, at: EpochMs): void {
  counts.firstDueAt = Math.min(counts.firstDueAt ?? at, at);
  counts.lastDueAt = Math.max(counts.lastDueAt ?? at, at);
}

/** Spreads retries over half of the rate, so that due sends have the rest. Whole milliseconds, never before now. */
function nextDue(counts: SetCounts, ratePerSecond: number, now: EpochMs): EpochMs {
  const at = Math.max(now, counts.nextDueAt ?? now);
  counts.nextDueAt = at + 2_000 / ratePerSecond;
  return Math.ceil(at);
}

function revisionOf({ campaign, revision }: Pick<RetryCandidate, 'campaign' | 'revision'>): string {
  return `${campaign} ${revision}`;
}

/** When it would leave if it were due at `dueAt`, or why it would not. */
function judgeDue(
  { standing, zone }: RetryCandidate,
  facts: RevisionFacts | undefined,
  dueAt: EpochMs,
  rules: ZoneRules,
): { readonly at: EpochMs; readonly skipped?: string } {
  if (standing) return { at: dueAt, ...((facts?.until ?? Infinity) <= dueAt && { skipped: 'UNTIL_PASSED' }) };
  const windows = windowRules(facts?.messageType ?? 'NOTIF', { ...policyDefaults, ...facts?.policy });
  const table = zoneTable(zone ?? 'UTC', rules) ?? fixedTable(0);
  return judgeWindows(dueAt, table, windows, dueAt + WINDOWS_SEEN_MS);
}

/** undefined: ask once more as soon as its project is called again. */
function moveAfter(delivered: Delivered, step: number, now: EpochMs): SetMove | undefined {
  const { kind } = delivered;
  if (kind === 'final') return delivered.sentCount > 0 ? 'DELIVERED_TO_SOME' : STEPS.act;
  if (kind === 'pending') return 'RESULT_NOT_FINAL';
  if (kind === 'unread') return step + 1 < STEPS.act ? step + 1 : 'RESULT_UNREAD';
  return kind === 'blocked' && delivered.block.until > now + LONGEST_BLOCK_MS ? BLOCKED : undefined;
}
