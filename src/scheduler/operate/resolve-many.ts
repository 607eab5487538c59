// Resolves many uncertain sends in two steps: the filter of a set of resolves, its view, and the work on a confirmed set. Never asks
// the push service, never sends.
import { z } from 'zod';
import type { Sql } from '../../platform/database/database.js';
import { count, listOf } from '../../platform/http/zod-schemas.js';
import { REQUEST_ID_NEEDED, RESOLUTIONS, RESOLVED, type Resolution } from '../decide/lifecycle/resolution.js';
import { keptSendFilter } from '../store/read/send-filter.js';
import { resolveAllUncertain } from '../store/send/resolve.store.js';
import { setItem, shownSet, STEPS, type SetProject, type SetRow } from '../store/send/send-set.store.js';
import { notLeftOut, type ManyKind } from './many-sends.js';
import type { Moves, SetDeps, SetWork } from './work-sets.js';

/** The filter of uncertain sends of a preview; a member that is not given does not restrict it. */
export const ResolveFilter = z.object({
  ...keptSendFilter,
  states: listOf(z.literal('uncertain')),
  sends: listOf(z.uuid()).optional(),
});
export type ResolveFilter = z.output<typeof ResolveFilter>;

/** A set of resolves as the API shows it. */
export const ResolvesView = z
  .object({
    ...shownSet,
    state: z.enum(['gathering', 'ready', 'expired', 'resolving', 'done']),
    filter: ResolveFilter.describe('The filter of the preview'),
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

export const RESOLVES: ManyKind<ResolvesView, ResolveItem> = {
  kind: 'resolve',
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

function viewOf(whole: SetRow): ResolvesView {
  const {
    kind: _k,
    held: _h,
    asked: _a,
    deferred: _d,
    firstDueAt: _f,
    lastDueAt: _l,
    facts: _s,
    ...shown
  } = whole;
  const { state, done: resolved, ...set } = shown;
  const filter = whole.filter as ResolveFilter;
  const resolution = resolutionOf(whole);
  return { ...set, filter, resolution, state: STATES[state], resolved, resolve: notLeftOut(whole) };
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

/** The database refuses a set of resolves without one. */
function resolutionOf({ resolution }: Pick<SetRow, 'resolution'>): Resolution {
  if (resolution === null) throw new Error('a set of resolves has no resolution');
  return resolution;
}

/** Works on sets of resolves: writes an operator's resolution for each send of a confirmed set that is still uncertain. */
export class WorkResolves implements SetWork {
  constructor(private readonly deps: Pick<SetDeps, 'clock'>) {}

  find(_: SetProject, sends: readonly string[]): Promise<Moves> {
    return Promise.resolve(new Map(sends.map((send) => [send, STEPS.act])));
  }

  ask(): Promise<Moves> {
    throw new Error('nobody is asked before a resolve');
  }

  async act(sql: Sql, part: SetProject, sends: readonly string[]): Promise<Moves> {
    const { reason: detail, by } = part;
    const order = { ...RESOLVED[resolutionOf(part)], detail, now: this.deps.clock.now(), by };
    const { resolved, ahead } = await resolveAllUncertain(sql, { sends, ...order });
    // NOT_UNCERTAIN: an answer or a result came meanwhile, somebody resolved this send alone, or it is kept no longer.
    const leftOut = (send: string) => (ahead.has(send) ? REQUEST_ID_NEEDED : 'NOT_UNCERTAIN');
    return new Map(sends.map((send) => [send, resolved.has(send) ? STEPS.done : leftOut(send)]));
  }

  ended({ counts, leftOut, resolution }: SetProject) {
    const { done: resolved = 0 } = counts;
    return { action: 'resolves.done', after: { state: 'done', resolution, resolved, leftOut } };
  }
}
