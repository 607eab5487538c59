// Resolves of many uncertain sends: an operator's word on each of a confirmed set that is uncertain still. Never asks, never sends.
import type { Sql } from '../../platform/database/database.js';
import { resolveAllUncertain } from '../store/send/resolve.store.js';
import { STEPS, type SetPart } from '../store/send/send-set.store.js';
import { RESOLVE_SETS, type ResolveFilter, type Resolving } from './resolve-many.js';
import { RESOLVED } from './resolve-send.js';
import { WorkSets, type Moves, type SetParts } from './work-sets.js';

type ResolvePart = SetPart<ResolveFilter> & Resolving;

export class WorkResolves extends WorkSets<ResolveFilter, Resolving> {
  readonly #now: () => number;

  constructor(parts: Omit<SetParts<ResolveFilter, Resolving>, 'sets' | 'wakeIn'>) {
    super({ ...parts, sets: RESOLVE_SETS, wakeIn: () => undefined });
    this.#now = () => parts.clock.now();
  }

  protected override async find(_: ResolvePart, sends: readonly string[]): Promise<Moves> {
    return Promise.resolve(new Map(sends.map((send) => [send, STEPS.act])));
  }

  protected override ask(): Promise<Moves> {
    throw new Error('nobody is asked before a resolve');
  }

  protected override async act(sql: Sql, part: ResolvePart, sends: readonly string[]): Promise<Moves> {
    const { resolution, reason: detail, by } = part;
    const resolved = await resolveAllUncertain(sql, {
      sends,
      ...RESOLVED[resolution],
      detail,
      now: this.#now(),
      by,
    });
    // Its answer or its result came meanwhile, somebody resolved it alone, or it is kept no longer.
    return new Map(sends.map((send) => [send, resolved.has(send) ? STEPS.done : 'NOT_UNCERTAIN']));
  }

  protected override ended({ counts, leftOut, resolution }: ResolvePart) {
    const { resolved = 0 } = counts;
    return { action: 'resolves.done', after: { state: 'done', resolution, resolved, leftOut } };
  }
}
