// Retrying many: a preview freezes the set and says what would come of it, its token confirms exactly that set. Each
// step may be repeated; nothing is retried before it is confirmed.
import { v7 } from 'uuid';
import { z } from 'zod';
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { count } from '../../platform/http/operation.js';
import { notFound, Problem } from '../../platform/http/problem.js';
import { within } from '../../platform/within.js';
import { writeAudit } from '../store/audit.store.js';
import {
  confirmRetrySet,
  insertRetrySet,
  latestRetrySets,
  readRetrySet,
  retryItems,
  ShownRetrySet,
  wakeRetries,
  type RetryFilter,
  type RetryItem,
  type RetryItemFilter,
  type RetrySet,
} from '../store/send/retry-batch.store.js';
import type { WorkRetries } from './work-retries.js';

/** A set of retries as the API shows it. */
export const RetriesView = ShownRetrySet.extend({
  retry: count.describe('found = retry + the sum of leftOut'),
  due: z
    .object({
      first: z.date(),
      last: z.date(),
      deferred: count.describe('Retries whose due was moved out of the night or quiet hours'),
    })
    .nullable()
    .describe("Before it is confirmed: as if it were now. Spread over half of each project's rate"),
}).meta({ id: 'Retries' });
export type RetriesView = z.output<typeof RetriesView>;

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
    if (serviceId !== undefined && serviceFilter?.includes(serviceId) === false) throw notFound('service');
    const now = this.clock.now();
    const token = v7({ msecs: now });
    const held = serviceId === undefined ? serviceFilter : [serviceId];
    await insertRetrySet(this.database, { token, filter, held, createdAt: new Date(now), createdBy: who });
    return this.#advanced(token);
  }

  /** Throws 404 for an unknown set, and for one over services that are not held. */
  async read(token: string, caller: RetryCaller): Promise<RetriesView> {
    return viewOf(await this.#held(token, caller.serviceFilter));
  }

  /** Newest first; those alone over services that are held. */
  async latest(
    serviceId: string | undefined,
    page: { readonly before: string | undefined; readonly limit: number },
    { serviceFilter: held }: Pick<RetryCaller, 'serviceFilter'>,
  ): Promise<RetriesView[]> {
    const now = new Date(this.clock.now());
    return (await latestRetrySets(this.database, { held, serviceId }, { ...page, now })).map(viewOf);
  }

  /** What of it waits still. Throws 404 as read() does. */
  async items(
    token: string,
    filter: RetryItemFilter,
    page: { readonly from: string | undefined; readonly limit: number },
    { serviceFilter }: Pick<RetryCaller, 'serviceFilter'>,
  ): Promise<RetryItem[]> {
    await this.#held(token, serviceFilter);
    return retryItems(this.database, token, filter, page);
  }

  /** Again it answers the same set. Throws 409 PREVIEW_NOT_READY, PREVIEW_EXPIRED. */
  async confirm(token: string, { who, serviceFilter }: RetryCaller): Promise<RetriesView> {
    const set = await this.#held(token, serviceFilter);
    if (set.confirmedAt === null) await this.#confirm(set, who);
    return this.#advanced(token);
  }

  /**
   * After what can be done within the request, a page that waits for a gateway goes on behind it; the loops are told of the
   * rest alone, so that they do not take it first.
   */
  async #advanced(token: string): Promise<RetriesView> {
    await within(this.work.advance(token, WORKED_WITHIN_MS), WORKED_WITHIN_MS);
    const view = viewOf(await this.#held(token, null));
    if (view.state !== 'ready' && view.state !== 'done') await wakeRetries(this.database);
    return view;
  }

  async #held(token: string, serviceFilter: RetryCaller['serviceFilter']): Promise<RetrySet> {
    const set = await readRetrySet(this.database, token, new Date(this.clock.now()));
    const mayRead = serviceFilter === null || set?.held?.every((id) => serviceFilter.includes(id)) === true;
    if (set === undefined || !mayRead) throw notFound('set of retries');
    return set;
  }

  async #confirm(set: RetrySet, who: string): Promise<void> {
    const { state, filter, found, asked, retry, leftOut } = viewOf(set);
    if (state === 'expired')
      throw new Problem(409, 'PREVIEW_EXPIRED', 'it speaks of a time that is over: make a new preview');
    if (state !== 'ready') {
      const details = { asked };
      throw new Problem(409, 'PREVIEW_NOT_READY', `it is ${state} still: read it until it is ready`, {
        details,
      });
    }
    const at = new Date(this.clock.now());
    const [serviceId, ...others] = set.held ?? [];
    await this.database.transaction(async (sql) => {
      // Else somebody confirmed it in this moment: theirs is the one that counts.
      if (!(await confirmRetrySet(sql, set.token, at, who))) return;
      await writeAudit(sql, {
        at,
        who,
        action: 'retries.confirm',
        target: set.token,
        serviceId: others.length === 0 ? serviceId : undefined,
        before: { state, filter, found },
        after: { state: 'retrying', retry, leftOut },
      });
    });
  }
}

function viewOf(whole: RetrySet): RetriesView {
  const { held: _, deferred, firstDueAt, lastDueAt, ...set } = whole;
  const leftOut = Object.values(set.leftOut).reduce((sum, sends) => sum + sends, 0);
  const hasDue = firstDueAt !== null && lastDueAt !== null;
  const due = hasDue ? { first: new Date(firstDueAt), last: new Date(lastDueAt), deferred } : null;
  return { ...set, retry: set.found - leftOut, due };
}
