// Retries or resolves many sends: a preview freezes the set of sends and says what would become of it, and its token confirms exactly
// this set. Each step may be repeated; nothing is done before the confirmation.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Database, Sql } from '../../platform/database/database.js';
import { commitWithAnswer } from '../../platform/database/request-transaction.js';
import { notFound, Problem } from '../../platform/http/problem.js';
import { within } from '../../platform/with-timeout.js';
import { writeAudit } from '../store/audit.store.js';
import {
  confirmSet,
  insertSet,
  itemsOfSet,
  latestSets,
  readSet,
  wakeSets,
  type SetAsked,
  type SetItem,
  type SetItemFilter,
  type SetKind,
  type SetRow,
} from '../store/send/send-set.store.js';
import type { WorkSets } from './work-sets.js';

export interface SetCaller {
  readonly who: string;
  readonly serviceFilter: readonly string[] | null;
}

/** Real milliseconds that a request waits for the work on its set. */
const WORKED_WITHIN_MS = 2_000;

export interface ManyDeps {
  readonly database: Database;
  readonly clock: Clock;
  readonly work: Pick<WorkSets, 'advance'>;
}

/** A kind of set: the work on its sends, and its view. */
export interface ManyKind<View, Item> {
  readonly kind: SetKind;
  readonly noun: string;
  /** The beginning of its actions' names in the audit. */
  readonly action: string;
  readonly viewOf: (row: SetRow) => View;
  readonly itemOf: (item: SetItem) => Item;
  /** What the audit stores about a confirmed set. */
  readonly confirmed: (view: View) => object;
}

export class ManySends<View, Item> {
  constructor(
    private readonly deps: ManyDeps,
    private readonly kind: ManyKind<View, Item>,
  ) {}

  /** Throws 404 for a service that the caller does not hold. May return before all sends are found: read() shows how far it is. */
  async preview(asked: Omit<SetAsked, 'kind'>, { who, serviceFilter }: SetCaller): Promise<View> {
    const { serviceId } = asked.filter;
    if (serviceId !== undefined && serviceFilter?.includes(serviceId) === false) throw notFound('service');
    const { database, clock } = this.deps;
    const now = clock.now();
    const token = v7({ msecs: now });
    const held = serviceId === undefined ? serviceFilter : [serviceId];
    const set = { token, held, createdAt: new Date(now), createdBy: who };
    const view = await database.transaction(async (sql) => {
      await insertSet(sql, { ...set, ...asked, kind: this.kind.kind });
      return this.#viewWithin(sql, token);
    });
    await commitWithAnswer(view);
    return this.#advanced(token);
  }

  /** Throws 404 for an unknown set, and for one over services that the caller does not hold. */
  async read(token: string, caller: SetCaller): Promise<View> {
    return this.kind.viewOf(await this.#held(token, caller.serviceFilter));
  }

  /** Newest first; only sets over services that the caller holds. */
  async latest(
    serviceId: string | undefined,
    page: { readonly before: string | undefined; readonly limit: number },
    { serviceFilter: held }: Pick<SetCaller, 'serviceFilter'>,
  ): Promise<View[]> {
    const { database, clock } = this.deps;
    const { kind, viewOf } = this.kind;
    const now = new Date(clock.now());
    return (await latestSets(database, { kind, held, serviceId }, { ...page, now })).map(viewOf);
  }

  /** The sends that still wait. Throws 404 as read() does. */
  async items(
    token: string,
    filter: SetItemFilter,
    page: { readonly from: string | undefined; readonly limit: number },
    { serviceFilter }: Pick<SetCaller, 'serviceFilter'>,
  ): Promise<Item[]> {
    await this.#held(token, serviceFilter);
    return (await itemsOfSet(this.deps.database, token, filter, page)).map(this.kind.itemOf);
  }

  /** May be repeated. Throws 409 PREVIEW_NOT_READY or PREVIEW_EXPIRED. */
  async confirm(token: string, { who, serviceFilter }: SetCaller): Promise<View> {
    const set = await this.#held(token, serviceFilter);
    if (set.confirmedAt === null) await this.#confirm(set, who);
    return this.#advanced(token);
  }

  /**
   * Works on the set within the request for a while. A page that waits for a gateway goes on after the request has ended. It wakes the
   * loops for the rest only at the end, so that they do not take the set first.
   */
  async #advanced(token: string): Promise<View> {
    const { database, work } = this.deps;
    await within(work.advance(token, WORKED_WITHIN_MS), WORKED_WITHIN_MS);
    const set = await this.#held(token, null);
    if (set.state !== 'ready' && set.state !== 'done') await wakeSets(database);
    return this.kind.viewOf(set);
  }

  async #held(token: string, serviceFilter: SetCaller['serviceFilter']): Promise<SetRow> {
    const { database, clock } = this.deps;
    const { kind, noun } = this.kind;
    const set = await readSet(database, kind, token, new Date(clock.now()));
    const mayRead = serviceFilter === null || set?.held?.every((id) => serviceFilter.includes(id)) === true;
    if (set === undefined || !mayRead) throw notFound(noun);
    return set;
  }

  async #confirm(set: SetRow, who: string): Promise<void> {
    const { database, clock } = this.deps;
    const { action, viewOf, confirmed } = this.kind;
    const { state, filter, found, asked } = set;
    if (state === 'expired')
      throw new Problem(409, 'PREVIEW_EXPIRED', 'the preview has expired: make a new one');
    if (state !== 'ready') {
      const text = `it is still ${state}: read it until it is ready`;
      throw new Problem(409, 'PREVIEW_NOT_READY', text, { details: { asked } });
    }
    const at = new Date(clock.now());
    const [serviceId, ...others] = set.held ?? [];
    const view = await database.transaction(async (sql) => {
      // False: somebody else confirmed it at the same moment, and that confirmation counts.
      if (!(await confirmSet(sql, set.token, at, who))) return this.#viewWithin(sql, set.token);
      await writeAudit(sql, {
        at,
        who,
        action: `${action}.confirm`,
        target: set.token,
        serviceId: others.length === 0 ? serviceId : undefined,
        before: { state, filter, found },
        after: confirmed(viewOf(set)),
      });
      return this.#viewWithin(sql, set.token);
    });
    await commitWithAnswer(view);
  }

  async #viewWithin(sql: Sql, token: string): Promise<View> {
    const { kind, noun, viewOf } = this.kind;
    const set = await readSet(sql, kind, token, new Date(this.deps.clock.now()));
    if (set === undefined) throw notFound(noun);
    return viewOf(set);
  }
}

/** How many sends of the set are retried or resolved, now or later. */
export const notLeftOut = ({ found, leftOut }: Pick<SetRow, 'found' | 'leftOut'>): number =>
  found - Object.values(leftOut).reduce((sum, sends) => sum + sends, 0);
