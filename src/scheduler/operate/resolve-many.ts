// Resolving many uncertain sends in two steps: by which filter a set of resolves is made, how it is shown, and how a confirmed set is
// worked off. Never asks the push service, never sends.
import { z } from 'zod';
import type { Sql } from '../../platform/database/database.js';
import { count, listOf } from '../../platform/http/schema-parts.js';
import { keptSendFilter } from '../store/read/send-filter.js';
import { resolveAllUncertain } from '../store/send/resolve.store.js';
import {
  RESOLVE_TABLES,
  SendSets,
  setItem,
  shownSet,
  STEPS,
  type SetPart,
  type SetRow,
} from '../store/send/send-set.store.js';
import { ManySends, notLeftOut, type ManyKind, type ManyParts } from './many-sends.js';
import { RESOLUTIONS, RESOLVED, type Resolution } from './resolve-send.js';
import { WorkSets, type Moves, type SetParts } from './work-sets.js';

/** Which uncertain sends a preview looks at; a member that is not given does not restrict it. */
export const ResolveFilter = z.object({
  ...keptSendFilter,
  states: listOf(z.literal('uncertain')),
  sends: listOf(z.uuid()).optional(),
});
export type ResolveFilter = z.output<typeof ResolveFilter>;

export interface ResolveAsked {
  readonly filter: ResolveFilter;
  readonly resolution: Resolution;
  readonly reason: string | null;
}

export const RESOLVE_SETS = new SendSets<ResolveAsked>(RESOLVE_TABLES);

/** A set of resolves as the API shows it. */
export const ResolvesView = z
  .object({
    ...shownSet,
    state: z.enum(['gathering', 'ready', 'expired', 'resolving', 'done']),
    filter: ResolveFilter.describe('Which sends it looked at'),
    resolution: z.enum(RESOLUTIONS),
    reason: z.string().nullable(),
    resolved: count,
    leftOut: z.record(z.string(), count).describe('Sends that are not resolved, by code'),
    resolve: count.describe('found = resolve + the sum of leftOut'),
  })
  .meta({ id: 'Resolves' });
export type ResolvesView = z.output<typeof ResolvesView>;

/** A send that waits in a set for its resolution. */
export const ResolveItem = z.object(setItem).meta({ id: 'ResolveItem' });
export type ResolveItem = z.output<typeof ResolveItem>;

const RESOLVES: ManyKind<ResolveAsked, ResolvesView, ResolveItem> = {
  sets: RESOLVE_SETS,
  noun: 'set of resolves',
  action: 'resolves',
  viewOf,
  itemOf: ({ step: _step, ...item }) => item,
  confirmed: ({ resolution, reason, resolve, leftOut }) => ({
    state: 'resolving',
    resolution,
    ...(reason !== null && { reason }),
    resolve,
    leftOut,
  }),
};

export class ResolveMany extends ManySends<ResolveAsked, ResolvesView, ResolveItem> {
  constructor(parts: ManyParts<ResolveAsked>) {
    super(parts, RESOLVES);
  }
}

function viewOf(whole: SetRow<ResolveAsked>): ResolvesView {
  const { held: _held, asked: _asked, deferred: _, firstDueAt: _first, lastDueAt: _last, ...shown } = whole;
  const { state, done: resolved, ...set } = shown;
  return { ...set, state: STATES[state], resolved, resolve: notLeftOut(whole) };
}

/** Nobody is asked before a resolve. */
const STATES = {
  gathering: 'gathering',
  asking: 'gathering',
  ready: 'ready',
  expired: 'expired',
  acting: 'resolving',
  done: 'done',
} as const satisfies Record<SetRow['state'], ResolvesView['state']>;

type ResolvePart = SetPart<ResolveAsked>;

/** Works off sets of resolves: an operator's resolution for each send of a confirmed set that is still uncertain. */
export class WorkResolves extends WorkSets<ResolveAsked> {
  constructor(parts: SetParts) {
    super(parts, RESOLVE_SETS);
  }

  protected override find(_: ResolvePart, sends: readonly string[]): Promise<Moves> {
    return Promise.resolve(new Map(sends.map((send) => [send, STEPS.act])));
  }

  protected override ask(): Promise<Moves> {
    throw new Error('nobody is asked before a resolve');
  }

  protected override async act(sql: Sql, part: ResolvePart, sends: readonly string[]): Promise<Moves> {
    const { resolution, reason: detail, by } = part;
    const order = { ...RESOLVED[resolution], detail, now: this.parts.clock.now(), by };
    const resolved = await resolveAllUncertain(sql, { sends, ...order });
    // NOT_UNCERTAIN: an answer or a result came meanwhile, somebody resolved it alone, or it is kept no longer.
    return new Map(sends.map((send) => [send, resolved.has(send) ? STEPS.done : 'NOT_UNCERTAIN']));
  }

  protected override ended({ counts, leftOut, resolution }: ResolvePart) {
    const { resolved = 0 } = counts;
    return { action: 'resolves.done', after: { state: 'done', resolution, resolved, leftOut } };
  }
}
