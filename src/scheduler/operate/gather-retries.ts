// The first pages of a preview: finds the sends its filter names, judges each by what we know, and says what would come
// of its retry now: left out, to be asked about, deferred. Changes no send.
import type { Clock, EpochMs } from '../../platform/clock.js';
import type { Database } from '../../platform/database.js';
import { policyDefaults } from '../decide/policy.js';
import type { ZoneRules } from '../decide/ports.js';
import { fixedTable } from '../decide/transition-table.js';
import { judgeWindows, windowRules } from '../decide/windows.js';
import { zoneTable } from '../decide/zones.js';
import { revisionFacts, type RevisionFacts } from '../store/fire.store.js';
import type { Project, ProjectStore } from '../store/project.store.js';
import {
  holdRetryBatch,
  insertRetryItems,
  stepRetryBatch,
  type RetryBatch,
  type RetryCounts,
  type RetryItem,
} from '../store/retry-batch.store.js';
import { retryCandidatePage, type RetryCandidate } from '../store/retry.store.js';
import { mayHaveArrived, refuseRetry } from './judge-retry.js';
import { DueSpread, spanWith, withLeftOut } from './retry-counts.js';

export interface GatherParts {
  readonly database: Database;
  readonly projects: Pick<ProjectStore, 'getMany'>;
  readonly rules: ZoneRules;
  readonly clock: Clock;
  /** Sends that a page of gathering looks at [1 000], whether the filter names them or not. */
  readonly page?: number;
}

const PAGE = 1_000;
/** A preview speaks of the present: night falls, results come. */
export const PREVIEW_GOOD_FOR_MS = 3_600_000;
/** Two windows that leave no minute of the day are looked through no further. */
const WINDOWS_SEEN_MS = 7 * 86_400_000;

interface Found {
  readonly candidates: readonly RetryCandidate[];
  readonly services: readonly string[];
  readonly afterSend: string | null;
}

type Verdict =
  | { readonly kind: 'left-out'; readonly code: string }
  | { readonly kind: 'goes'; readonly at: EpochMs; readonly deferred: boolean };

/** Answers the real milliseconds until the next page, undefined where another process took the set over. */
export async function gatherRetries(
  { database, projects, rules, clock, page = PAGE }: GatherParts,
  batch: RetryBatch,
  token: string,
): Promise<number | undefined> {
  const found = await nextPage(database, batch, page);
  const known = await projects.getMany([...new Set(found.candidates.map((one) => one.serviceId))]);
  const facts = await factsOf(database, found.candidates);
  const now = clock.now();
  const spread = new DueSpread(batch.counts.nextDueAt, now);
  const items: RetryItem[] = [];
  let { counts } = batch;
  for (const candidate of found.candidates) {
    const project = known.get(candidate.serviceId);
    const judged = judge(candidate, { project, facts: facts(candidate), rules, spread, now });
    const asks = judged.kind === 'goes' && mayHaveArrived(candidate);
    items.push({
      send: candidate.id,
      serviceId: candidate.serviceId,
      requestId: candidate.requestId,
      state: judged.kind === 'left-out' ? judged.kind : asks ? 'ask' : 'retry',
      code: judged.kind === 'left-out' ? judged.code : null,
    });
    counts = counted(counts, judged, asks);
  }
  counts = {
    ...counts,
    leftOut: withLeftOut(
      counts.leftOut,
      items.flatMap(({ code }) => code ?? []),
    ),
    nextDueAt: spread.nextDueAt,
  };
  const ended = found.services.length === 0;
  const state = !ended ? 'gathering' : counts.toAsk > 0 ? 'asking' : 'ready';
  return database.transaction(async (sql) => {
    if (!(await holdRetryBatch(sql, batch.id, token))) return undefined;
    await insertRetryItems(sql, batch.id, items);
    const expiresAt = state === 'ready' ? new Date(now + PREVIEW_GOOD_FOR_MS) : null;
    const { services, afterSend } = found;
    await stepRetryBatch(sql, batch.id, {
      state,
      services,
      afterSend,
      counts,
      expiresAt,
      doneAt: null,
      pauseMs: 0,
    });
    return 0;
  });
}

/** Goes through service after service until so many sends are looked at. */
async function nextPage(database: Database, batch: RetryBatch, most: number): Promise<Found> {
  const candidates: RetryCandidate[] = [];
  let services = [...batch.services];
  let afterId = batch.afterSend;
  let left = most;
  for (let [serviceId] = services; serviceId !== undefined; [serviceId] = services) {
    const page = await retryCandidatePage(database, {
      serviceId,
      afterId,
      filter: batch.filter,
      endedBefore: batch.createdAt,
      most: left,
    });
    candidates.push(...page.candidates);
    left -= page.looked;
    if (left === 0) return { candidates, services, afterSend: page.lastId };
    services = services.slice(1);
    afterId = null;
  }
  return { candidates, services, afterSend: null };
}

async function factsOf(
  database: Database,
  candidates: readonly RetryCandidate[],
): Promise<(of: RetryCandidate) => RevisionFacts | undefined> {
  const nameOf = ({ campaign, revision }: Pick<RetryCandidate, 'campaign' | 'revision'>): string =>
    `${campaign} ${revision}`;
  const wanted = new Map(candidates.map((one) => [nameOf(one), one]));
  const facts = await revisionFacts(database, [...wanted.values()]);
  const byName = new Map(facts.map((one) => [nameOf(one), one]));
  return (of) => byName.get(nameOf(of));
}

interface JudgeFacts {
  readonly project: Project | undefined;
  readonly facts: RevisionFacts | undefined;
  readonly rules: ZoneRules;
  readonly spread: DueSpread;
  readonly now: EpochMs;
}

/** What the second look would say of it as things stand; that one counts. */
function judge(candidate: RetryCandidate, { project, facts, rules, spread, now }: JudgeFacts): Verdict {
  const refusal = refuseRetry(candidate, project?.maxRetries ?? 0);
  if (refusal !== undefined) return { kind: 'left-out', code: refusal.code };
  if (candidate.standing) {
    const over = facts?.until !== undefined && facts.until !== null && facts.until <= now;
    return over ? { kind: 'left-out', code: 'UNTIL_PASSED' } : { kind: 'goes', at: now, deferred: false };
  }
  const dueAt = spread.take(candidate.serviceId, project?.ratePerSecond ?? 1);
  const policy = { ...policyDefaults, ...facts?.policy };
  const table = zoneTable(candidate.zone ?? 'UTC', rules) ?? fixedTable(0);
  const windows = windowRules(facts?.messageType ?? 'NOTIF', policy);
  const judged = judgeWindows(dueAt, table, windows, dueAt + WINDOWS_SEEN_MS);
  if (judged.skipped !== undefined) return { kind: 'left-out', code: judged.skipped };
  return { kind: 'goes', at: judged.at, deferred: judged.at > dueAt };
}

function counted(counts: RetryCounts, judged: Verdict, asks: boolean): RetryCounts {
  const found = counts.found + 1;
  if (judged.kind === 'left-out') return { ...counts, found };
  return {
    ...counts,
    ...spanWith(counts, judged.at),
    found,
    toAsk: counts.toAsk + (asks ? 1 : 0),
    retry: counts.retry + 1,
    deferred: counts.deferred + (judged.deferred ? 1 : 0),
  };
}
