// Works off retries of many sends, page by page: finds what a preview's filter names, asks for the results of what somebody
// may have got, makes what was confirmed. A page is of one project of one set, and moves its sends to their next step in one
// transaction; a process that dies under it is followed by another once its lease ends.
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import { policyDefaults } from '../decide/timing/policy.js';
import type { ZoneRules } from '../../zone-rules/zone-rules.js';
import { fixedTable } from '../../zone-rules/zone-offsets.js';
import { judgeWindows, windowRules } from '../decide/timing/windows.js';
import { zoneTable } from '../decide/audience/zones.js';
import { revisionFacts, type RevisionFacts } from '../store/send/fire.store.js';
import { writeAudit } from '../store/audit.store.js';
import type { ProjectStore } from '../store/project.store.js';
import {
  claimRetries,
  endRetryPage,
  retryPage,
  STEPS,
  type RetryCounts,
  type RetryMove,
  type RetryPart,
} from '../store/send/retry-batch.store.js';
import { retryCandidates, type RetryCandidate } from '../store/send/retry.store.js';
import type { AskDelivered, Delivered } from './ask-delivered.js';
import { makeRetries } from './make-retries.js';

export interface WorkParts {
  readonly database: Database;
  readonly projects: Pick<ProjectStore, 'get'>;
  readonly rules: ZoneRules;
  readonly clock: Clock;
  readonly askDelivered: AskDelivered;
  /** Asks the loops for a round in so many real milliseconds. */
  readonly wakeIn: (ms: number) => void;
}

/** Sends that a page looks at, whether the filter names them or not. */
const FIND_PAGE = 1_000;
/** Retries of one transaction: short locks of their campaigns. */
const MAKE_PAGE = 500;
/** Between pages of questions, real milliseconds: each takes a quarter of the project's rate, so that what is due goes first. */
const ASK_EVERY_MS = 1_000;
/** Longer than a page of questions that all time out, at the longest PUSH_TIMEOUT_MS. */
const LEASE_MS = 150_000;
/** A project that is blocked for longer than a preview is good for is not waited for. */
const LONGEST_BLOCK_MS = 3_600_000;
const BLOCKED = 'PROJECT_BLOCKED';
/** Two windows that leave no minute of the day are looked through no further. */
const WINDOWS_SEEN_MS = 7 * 86_400_000;
const NO_SEND = '00000000-0000-0000-0000-000000000000';

type Moves = Map<string, RetryMove>;

export class WorkRetries {
  constructor(private readonly parts: WorkParts) {}

  /** One page, of the set `only` where it is given; `asks`: of questions alone, or none. Returns how many pages it did. */
  async runOnce(only?: string, asks?: boolean): Promise<number> {
    const { database, wakeIn } = this.parts;
    const part = await claimRetries(database, LEASE_MS, only, asks);
    if (part === undefined) return 0;
    const pauseMs = await this.#page(part);
    if (pauseMs !== null && pauseMs > 0) wakeIn(pauseMs);
    return 1;
  }

  /** Works on one set until it has to wait, or `ms` real milliseconds have passed: small ones end within the request. */
  async advance(token: string, ms: number): Promise<void> {
    const until = this.parts.clock.elapsed() + ms;
    while (this.parts.clock.elapsed() < until) if ((await this.runOnce(token)) === 0) return;
  }

  /** Returns the real milliseconds until the next one; null: there is nothing to be done. */
  async #page(part: RetryPart): Promise<number | null> {
    const { database, projects, clock } = this.parts;
    const { step, counts } = part;
    const { ratePerSecond: rate = 1, inFlight = 1 } = (await projects.get(part.serviceId)) ?? {};
    const isFind = step === STEPS.find;
    const asks = !isFind && step !== STEPS.retry;
    const most = asks ? Math.min(Math.ceil(rate / 4), inFlight) : isFind ? FIND_PAGE : MAKE_PAGE;
    const rows = await retryPage(database, part, most);
    const sends = rows.filter(({ named }) => named).map(({ send }) => send);
    const seen = asks
      ? await this.#ask(part, sends)
      : isFind
        ? await this.#find(part, sends, rate)
        : undefined;
    return database.transaction(async (sql) => {
      const moves = seen ?? (await this.#make(sql, part, sends, rate));
      count(part, moves);
      // What could not be asked about now: the next page begins with it.
      const waiting = asks ? sends.findIndex((send) => !moves.has(send)) : -1;
      const last = waiting < 0 ? rows.at(-1)?.send : sends[waiting - 1];
      const isOver = waiting < 0 && rows.length < most;
      const next = isOver ? stepAfter(step, counts) : step;
      const hasAsked = asks && (waiting >= 0 || [...moves.values()].some((to) => to !== BLOCKED));
      const pauseMs = next !== step && next >= STEPS.retry ? null : hasAsked ? ASK_EVERY_MS : 0;
      const afterSend = isOver ? NO_SEND : (last ?? part.afterSend);
      await this.#auditEnd(sql, part, next);
      await endRetryPage(sql, part, { moves, step: next, afterSend, now: new Date(clock.now()), pauseMs });
      return pauseMs;
    });
  }

  /** What would come of each were it retried now: why it is left out, whether it is asked about first. */
  async #find({ counts }: RetryPart, sends: readonly string[], rate: number): Promise<Moves> {
    const { database, rules, clock } = this.parts;
    const now = clock.now();
    const found = await retryCandidates(database, sends);
    const revisions = [...new Map(found.map((one) => [revisionOf(one), one])).values()];
    const read = await revisionFacts(database, revisions);
    const facts = new Map(read.map((one) => [revisionOf(one), one]));
    const moves: Moves = new Map();
    for (const one of found) {
      const dueAt = one.refusal === null ? nextDue(counts, rate, now) : now;
      const { at, skipped } = judgeDue(one, facts.get(revisionOf(one)), dueAt, rules);
      const code = one.refusal ?? skipped;
      moves.set(one.id, code ?? (one.askAbout === null ? STEPS.retry : STEPS.ask));
      if (code !== undefined) continue;
      countDue(counts, at);
      if (at > dueAt) add(counts, 'deferred');
    }
    return moves;
  }

  /** Whether anybody got them. Those that could not be asked about are missing. */
  async #ask({ serviceId, step }: RetryPart, sends: readonly string[]): Promise<Moves> {
    const { database, askDelivered, clock } = this.parts;
    // What is kept no longer is refused when it would be made.
    const moves: Moves = new Map(sends.map((send) => [send, STEPS.retry]));
    const found = await retryCandidates(database, sends);
    await Promise.all(
      found.map(async ({ id, askAbout }) => {
        const to = moveAfter(await askDelivered(serviceId, askAbout ?? ''), step, clock.now());
        if (to === undefined) moves.delete(id);
        else moves.set(id, to);
      }),
    );
    return moves;
  }

  /** One row for all of a project's, however many: what the confirmed set came to. */
  async #auditEnd(sql: Sql, part: RetryPart, next: number): Promise<void> {
    const { step, token, by, serviceId, counts, leftOut } = part;
    if (step !== STEPS.retry || next !== STEPS.done) return;
    const { retried = 0, firstDueAt, lastDueAt } = counts;
    const due = retried === 0 ? null : [firstDueAt, lastDueAt].map((at) => new Date(at ?? 0));
    const after = { state: 'done', retried, leftOut, due };
    const at = new Date(this.parts.clock.now());
    await writeAudit(sql, { at, who: by, action: 'retries.done', target: token, serviceId, after });
  }

  async #make(sql: Sql, part: RetryPart, sends: readonly string[], rate: number): Promise<Moves> {
    const { by, counts } = part;
    const now = this.parts.clock.now();
    const order = { now, by, nextDue: () => nextDue(counts, rate, now) };
    const moves: Moves = new Map();
    for (const [send, retry] of await makeRetries(sql, sends, order)) {
      moves.set(send, typeof retry === 'string' ? retry : STEPS.done);
      if (typeof retry !== 'string') countDue(counts, retry.dueAt);
    }
    return moves;
  }
}

function stepAfter(step: number, { asked = 0, toAsk = 0 }: RetryCounts): number {
  if (step === STEPS.retry) return STEPS.done;
  return asked < toAsk ? step + 1 : STEPS.retry;
}

function add<Name extends string>(counts: Partial<Record<Name, number>>, name: Name): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function count({ step, counts, leftOut }: RetryPart, moves: Moves): void {
  for (const to of moves.values()) {
    const isLeftOut = typeof to === 'string';
    if (isLeftOut) add(leftOut, to);
    if (step === STEPS.find) add(counts, 'found');
    if (step === STEPS.find && to === STEPS.ask) add(counts, 'toAsk');
    if (step > STEPS.find && step < STEPS.retry && (isLeftOut || to === STEPS.retry)) add(counts, 'asked');
    if (to === STEPS.done) add(counts, 'retried');
  }
}

function countDue(counts: RetryCounts, at: EpochMs): void {
  counts.firstDueAt = Math.min(counts.firstDueAt ?? at, at);
  counts.lastDueAt = Math.max(counts.lastDueAt ?? at, at);
}

/** Spread over half of the rate, the rest is left to what is due anyway. Whole milliseconds, never before now. */
function nextDue(counts: RetryCounts, ratePerSecond: number, now: EpochMs): EpochMs {
  const at = Math.max(now, counts.nextDueAt ?? now);
  counts.nextDueAt = at + 2_000 / ratePerSecond;
  return Math.ceil(at);
}

function revisionOf({ campaign, revision }: Pick<RetryCandidate, 'campaign' | 'revision'>): string {
  return `${campaign} ${revision}`;
}

/** When it would leave, were it due then, or why it would not. */
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

/** undefined: it is to be asked about once more, as soon as its project is called again. */
function moveAfter(delivered: Delivered, step: number, now: EpochMs): RetryMove | undefined {
  const { kind } = delivered;
  if (kind === 'final') return delivered.sentCount > 0 ? 'DELIVERED_TO_SOME' : STEPS.retry;
  if (kind === 'pending') return 'RESULT_NOT_FINAL';
  if (kind === 'unread') return step + 1 < STEPS.retry ? step + 1 : 'RESULT_UNREAD';
  return kind === 'blocked' && delivered.block.until > now + LONGEST_BLOCK_MS ? BLOCKED : undefined;
}
