// The pages of a confirmed preview: each makes its retries in one transaction, judged once more under the locks of their
// campaigns, with their audit rows. The dues are spread over half of each project's rate. Never asks the push service.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database.js';
import { writeAudits } from '../store/audit.store.js';
import type { ProjectStore } from '../store/project.store.js';
import {
  holdRetryBatch,
  moveRetryItems,
  openRetryItems,
  stepRetryBatch,
  type MovedRetryItem,
  type RetryBatch,
} from '../store/retry-batch.store.js';
import {
  insertRetries,
  lockCampaigns,
  retryCandidates,
  type NewRetry,
  type RetryCandidate,
} from '../store/retry.store.js';
import { ALREADY_RETRIED, refuseRetry } from './judge-retry.js';
import { DueSpread, spanWith, withLeftOut } from './retry-counts.js';

export interface MakeParts {
  readonly database: Database;
  readonly projects: Pick<ProjectStore, 'getMany'>;
  readonly clock: Clock;
}

/** Retries of one transaction: short locks of their campaigns. */
const PAGE = 500;

/** Answers the real milliseconds until the next page, undefined where another process took the set over. */
export async function makeRetries(
  { database, projects, clock }: MakeParts,
  batch: RetryBatch,
  token: string,
): Promise<number | undefined> {
  const open = await openRetryItems(database, { batch: batch.id, state: 'retry', limit: PAGE });
  const sends = open.map((item) => item.send);
  const known = await projects.getMany([...new Set(open.map((item) => item.serviceId))]);
  return database.transaction(async (sql) => {
    if (!(await holdRetryBatch(sql, batch.id, token))) return undefined;
    const found = await lockedCandidates(sql, sends);
    const now = clock.now();
    const spread = new DueSpread(batch.counts.nextDueAt, now);
    const refused = new Map<string, string>();
    const wanted: NewRetry[] = [];
    for (const send of sends) {
      const candidate = found.get(send);
      const project = candidate === undefined ? undefined : known.get(candidate.serviceId);
      const refusal =
        candidate === undefined ? ALREADY_RETRIED : refuseRetry(candidate, project?.maxRetries ?? 0);
      if (candidate === undefined || refusal !== undefined) {
        refused.set(send, (refusal ?? ALREADY_RETRIED).code);
      } else {
        const dueAt = spread.take(candidate.serviceId, project?.ratePerSecond ?? 1);
        wanted.push({ of: send, id: v7({ msecs: now }), dueAt });
      }
    }
    const by = batch.confirmedBy ?? batch.createdBy;
    const made = new Map((await insertRetries(sql, wanted, now, by)).map(({ of, id }) => [of, id]));
    for (const { of } of wanted) if (!made.has(of)) refused.set(of, ALREADY_RETRIED.code);
    await writeAudits(
      sql,
      wanted.flatMap(({ of, dueAt }) => {
        const candidate = found.get(of);
        const id = made.get(of);
        if (candidate === undefined || id === undefined) return [];
        const { state, retries, serviceId } = candidate;
        const after = {
          send: id,
          dueAt: new Date(dueAt),
          duplicates: 0,
          retries: retries + 1,
          batch: batch.id,
        };
        return [
          {
            at: new Date(now),
            who: by,
            action: 'send.retry',
            target: of,
            serviceId,
            before: { state, retries },
            after,
          },
        ];
      }),
    );
    await moveRetryItems(
      sql,
      batch.id,
      sends.map((send) => movedTo(send, made.get(send), refused.get(send))),
    );
    const span = wanted.reduce((so, { of, dueAt }) => (made.has(of) ? spanWith(so, dueAt) : so), {
      firstDueAt: batch.counts.firstDueAt,
      lastDueAt: batch.counts.lastDueAt,
    });
    const done = open.length < PAGE;
    await stepRetryBatch(sql, batch.id, {
      state: done ? 'done' : 'retrying',
      services: [],
      afterSend: null,
      counts: {
        ...batch.counts,
        ...span,
        retry: batch.counts.retry - refused.size,
        retried: batch.counts.retried + made.size,
        leftOut: withLeftOut(batch.counts.leftOut, [...refused.values()]),
        nextDueAt: spread.nextDueAt,
      },
      expiresAt: batch.expiresAt,
      doneAt: done ? new Date(now) : null,
      pauseMs: 0,
    });
    return 0;
  });
}

/** As they stand under the locks of their campaigns: a cancel may have come since the preview. */
async function lockedCandidates(sql: Sql, sends: readonly string[]): Promise<Map<string, RetryCandidate>> {
  const before = await retryCandidates(sql, sends);
  await lockCampaigns(sql, [...new Set(before.map((one) => one.campaign))]);
  const found = await retryCandidates(sql, sends);
  return new Map(found.map((one) => [one.id, one]));
}

function movedTo(send: string, retry: string | undefined, code: string | undefined): MovedRetryItem {
  return {
    send,
    state: retry === undefined ? 'left-out' : 'retried',
    code: code ?? null,
    sentCount: null,
    tries: 0,
    retry: retry ?? null,
  };
}
