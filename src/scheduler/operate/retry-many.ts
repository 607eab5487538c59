// Retrying many: a preview freezes the set and says what would come of it, its token confirms exactly that set. Each
// step may be repeated; nothing is retried before it is confirmed.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database.js';
import { notFound, Problem } from '../../platform/problem.js';
import { writeAudit } from '../store/audit.store.js';
import {
  confirmRetryBatch,
  insertRetryBatch,
  retryBatch,
  wakeRetries,
  type RetryBatch,
  type RetryBatchState,
  type RetryFilter,
} from '../store/retry-batch.store.js';
import { NOTHING_COUNTED } from './retry-counts.js';
import type { WorkRetries } from './work-retries.js';

/** A set of retries as the API shows it. */
export interface RetriesView {
  /** Confirms it, and finds it again. */
  readonly token: string;
  readonly state: RetryBatchState | 'expired';
  readonly filter: RetryFilter;
  readonly createdAt: Date;
  readonly createdBy: string;
  /** It can be confirmed until then; null while it is not ready. */
  readonly expiresAt: Date | null;
  readonly confirmedAt: Date | null;
  readonly confirmedBy: string | null;
  readonly doneAt: Date | null;
  /** found = retry + the sum of leftOut, once all are asked about. */
  readonly found: number;
  /** Of failed and stale ones the result is asked for once more. */
  readonly asked: { readonly done: number; readonly of: number };
  readonly retry: number;
  readonly retried: number;
  readonly leftOut: Readonly<Record<string, number>>;
  /** Before it is confirmed: as if it were now. Spread over half of each project's rate. */
  readonly due: { readonly first: Date; readonly last: Date; readonly deferred: number } | null;
}

export interface RetryCaller {
  readonly who: string;
  readonly serviceFilter: readonly string[] | null;
}

/** What a request waits for its set's work, real milliseconds. */
const WORKED_WITHIN_MS = 2_000;

export class RetryMany {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    private readonly work: WorkRetries,
  ) {}

  /** Throws 404 for a service that is not held. Many sends take their time: read() tells how far it is. */
  async preview(filter: RetryFilter, { who, serviceFilter }: RetryCaller): Promise<RetriesView> {
    const { serviceId } = filter;
    if (serviceId !== undefined && serviceFilter !== null && !serviceFilter.includes(serviceId)) {
      throw notFound('service');
    }
    const now = this.clock.now();
    const id = v7({ msecs: now });
    const held = serviceId === undefined ? serviceFilter : [serviceId];
    const createdAt = new Date(now);
    await insertRetryBatch(this.database, {
      id,
      filter,
      held,
      counts: NOTHING_COUNTED,
      createdAt,
      createdBy: who,
    });
    return this.#view(await this.#advanced(id));
  }

  /** Throws 404 for an unknown set, and for one over services that are not held. */
  async read(token: string, caller: RetryCaller): Promise<RetriesView> {
    return this.#view(await this.#held(token, caller));
  }

  /** Again it answers the same set. Throws 409 PREVIEW_NOT_READY, PREVIEW_EXPIRED. */
  async confirm(token: string, caller: RetryCaller): Promise<RetriesView> {
    const batch = await this.#held(token, caller);
    if (batch.confirmedAt === null) await this.#confirm(batch, caller.who);
    return this.#view(await this.#advanced(token));
  }

  /** After what can be done within the request; the loops are told of the rest alone, so that they do not take it first. */
  async #advanced(id: string): Promise<RetryBatch> {
    await this.work.advance(id, WORKED_WITHIN_MS);
    const batch = await this.#found(id);
    if (batch.state !== 'ready' && batch.state !== 'done') await wakeRetries(this.database);
    return batch;
  }

  async #confirm(batch: RetryBatch, by: string): Promise<void> {
    const now = new Date(this.clock.now());
    if (batch.state !== 'ready') {
      const { asked, toAsk } = batch.counts;
      throw new Problem(409, 'PREVIEW_NOT_READY', `it is ${batch.state} still: read it until it is ready`, {
        details: { asked: { done: asked, of: toAsk } },
      });
    }
    const counts = { ...batch.counts, firstDueAt: null, lastDueAt: null, nextDueAt: {} };
    const confirmed = await this.database.transaction(async (sql) => {
      if (!(await confirmRetryBatch(sql, { id: batch.id, now, by, counts }))) return false;
      const [serviceId, ...others] = batch.held ?? [];
      await writeAudit(sql, {
        at: now,
        who: by,
        action: 'retries.confirm',
        target: batch.id,
        serviceId: others.length === 0 ? serviceId : undefined,
        before: { state: 'ready', filter: batch.filter, found: batch.counts.found },
        after: { state: 'retrying', retry: counts.retry, leftOut: counts.leftOut },
      });
      return true;
    });
    if (confirmed) return;
    // Somebody confirmed it in this moment: theirs is the one that counts.
    if ((await this.#found(batch.id)).confirmedAt !== null) return;
    throw new Problem(409, 'PREVIEW_EXPIRED', 'it speaks of a time that is over: make a new preview');
  }

  async #held(token: string, { serviceFilter }: RetryCaller): Promise<RetryBatch> {
    const batch = await retryBatch(this.database, token);
    const mayRead =
      serviceFilter === null || batch?.held?.every((serviceId) => serviceFilter.includes(serviceId)) === true;
    if (batch === undefined || !mayRead) throw notFound('set of retries');
    return batch;
  }

  async #found(id: string): Promise<RetryBatch> {
    const batch = await retryBatch(this.database, id);
    if (batch === undefined) throw new Error(`the set of retries ${id} is gone`);
    return batch;
  }

  #view(batch: RetryBatch): RetriesView {
    const { id, filter, counts, createdAt, createdBy, expiresAt, confirmedAt, confirmedBy, doneAt } = batch;
    const { found, asked, toAsk, retry, retried, leftOut, deferred, firstDueAt, lastDueAt } = counts;
    const over = batch.state === 'ready' && expiresAt !== null && expiresAt.getTime() <= this.clock.now();
    return {
      token: id,
      state: over ? 'expired' : batch.state,
      filter,
      createdAt,
      createdBy,
      expiresAt,
      confirmedAt,
      confirmedBy,
      doneAt,
      found,
      asked: { done: asked, of: toAsk },
      retry,
      retried,
      leftOut,
      due:
        firstDueAt === null || lastDueAt === null
          ? null
          : { first: new Date(firstDueAt), last: new Date(lastDueAt), deferred },
    };
  }
}
