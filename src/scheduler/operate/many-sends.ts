// Doing something to many sends: a preview freezes the set and says what would come of it, its token confirms exactly that set. Each
// step may be repeated; nothing is done before it is confirmed.
import { v7 } from 'uuid';
import type { Clock } from '../../platform/clock.js';
import type { Database } from '../../platform/database/database.js';
import { notFound, Problem } from '../../platform/http/problem.js';
import { within } from '../../platform/within.js';
import { writeAudit } from '../store/audit.store.js';
import type { SendSets, SetFilter, SetItem, SetItemFilter, SetRow } from '../store/send/send-set.store.js';
import type { WorkSets } from './work-sets.js';

export interface SetCaller {
  readonly who: string;
  readonly serviceFilter: readonly string[] | null;
}

/** What a request waits for its set's work, real milliseconds. */
const WORKED_WITHIN_MS = 2_000;

export interface ManyParts<Filter extends SetFilter, Own extends object> {
  readonly database: Database;
  readonly clock: Clock;
  readonly work: Pick<WorkSets<Filter, Own>, 'advance'>;
}

/** What is done to them, and how it is shown. */
export interface ManyKind<Filter extends SetFilter, Own extends object, View, Item> {
  readonly sets: SendSets<Filter, Own>;
  /** As a person calls it, and how its actions in the audit begin. */
  readonly noun: string;
  readonly action: string;
  readonly viewOf: (row: SetRow<Filter> & Own) => View;
  readonly itemOf: (item: SetItem) => Item;
  /** What the audit says of a confirmed one, beside what it was. */
  readonly confirmed: (view: View) => object;
}

export class ManySends<Filter extends SetFilter, Own extends object, View, Item> {
  constructor(
    private readonly parts: ManyParts<Filter, Own>,
    private readonly kind: ManyKind<Filter, Own, View, Item>,
  ) {}

  /** Throws 404 for a service that is not held. Many sends take their time: read() tells how far it is. */
  async preview(filter: Filter, own: Own, { who, serviceFilter }: SetCaller): Promise<View> {
    const { serviceId } = filter;
    if (serviceId !== undefined && serviceFilter?.includes(serviceId) === false) throw notFound('service');
    const { database, clock } = this.parts;
    const now = clock.now();
    const token = v7({ msecs: now });
    const held = serviceId === undefined ? serviceFilter : [serviceId];
    const made = { token, filter, held, createdAt: new Date(now), createdBy: who };
    await this.kind.sets.insert(database, { ...made, ...own });
    return this.#advanced(token);
  }

  /** Throws 404 for an unknown set, and for one over services that are not held. */
  async read(token: string, caller: SetCaller): Promise<View> {
    return this.kind.viewOf(await this.#held(token, caller.serviceFilter));
  }

  /** Newest first; those alone over services that are held. */
  async latest(
    serviceId: string | undefined,
    page: { readonly before: string | undefined; readonly limit: number },
    { serviceFilter: held }: Pick<SetCaller, 'serviceFilter'>,
  ): Promise<View[]> {
    const { database, clock } = this.parts;
    const { sets, viewOf } = this.kind;
    const now = new Date(clock.now());
    return (await sets.latest(database, { held, serviceId }, { ...page, now })).map(viewOf);
  }

  /** What of it waits still. Throws 404 as read() does. */
  async items(
    token: string,
    filter: SetItemFilter,
    page: { readonly from: string | undefined; readonly limit: number },
    { serviceFilter }: Pick<SetCaller, 'serviceFilter'>,
  ): Promise<Item[]> {
    await this.#held(token, serviceFilter);
    const { sets, itemOf } = this.kind;
    return (await sets.items(this.parts.database, token, filter, page)).map(itemOf);
  }

  /** Again it answers the same set. Throws 409 PREVIEW_NOT_READY, PREVIEW_EXPIRED. */
  async confirm(token: string, { who, serviceFilter }: SetCaller): Promise<View> {
    const set = await this.#held(token, serviceFilter);
    if (set.confirmedAt === null) await this.#confirm(set, who);
    return this.#advanced(token);
  }

  /**
   * After what can be done within the request, a page that waits for a gateway goes on behind it; the loops are told of the
   * rest alone, so that they do not take it first.
   */
  async #advanced(token: string): Promise<View> {
    const { database, work } = this.parts;
    const { sets, viewOf } = this.kind;
    await within(work.advance(token, WORKED_WITHIN_MS), WORKED_WITHIN_MS);
    const set = await this.#held(token, null);
    if (set.state !== 'ready' && set.state !== 'done') await sets.wake(database);
    return viewOf(set);
  }

  async #held(token: string, serviceFilter: SetCaller['serviceFilter']): Promise<SetRow<Filter> & Own> {
    const { database, clock } = this.parts;
    const { sets, noun } = this.kind;
    const set = await sets.read(database, token, new Date(clock.now()));
    const mayRead = serviceFilter === null || set?.held?.every((id) => serviceFilter.includes(id)) === true;
    if (set === undefined || !mayRead) throw notFound(noun);
    return set;
  }

  async #confirm(set: SetRow<Filter> & Own, who: string): Promise<void> {
    const { database, clock } = this.parts;
    const { sets, action, viewOf, confirmed } = this.kind;
    const { state, filter, found, asked } = set;
    if (state === 'expired')
      throw new Problem(409, 'PREVIEW_EXPIRED', 'it speaks of a time that is over: make a new preview');
    if (state !== 'ready') {
      const details = { asked };
      throw new Problem(409, 'PREVIEW_NOT_READY', `it is ${state} still: read it until it is ready`, {
        details,
      });
    }
    const at = new Date(clock.now());
    const [serviceId, ...others] = set.held ?? [];
    await database.transaction(async (sql) => {
      // Else somebody confirmed it in this moment: theirs is the one that counts.
      if (!(await sets.confirm(sql, set.token, at, who))) return;
      await writeAudit(sql, {
        at,
        who,
        action: `${action}.confirm`,
        target: set.token,
        serviceId: others.length === 0 ? serviceId : undefined,
        before: { state, filter, found },
        after: confirmed(viewOf(set)),
      });
    });
  }
}

/** Sends that it will be done to, or was. */
export const notLeftOut = ({ found, leftOut }: Pick<SetRow<unknown>, 'found' | 'leftOut'>): number =>
  found - Object.values(leftOut).reduce((sum, sends) => sum + sends, 0);
