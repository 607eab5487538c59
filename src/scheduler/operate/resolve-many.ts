// Resolving many uncertain sends, in two steps: what a set of resolves is asked for by, and how it is shown.
import { z } from 'zod';
import { count, listOf } from '../../platform/http/schema-parts.js';
import { keptSendFilter } from '../store/send/read/send-filter.js';
import { RESOLVE_TABLES, SendSets, setItem, shownSet, type SetRow } from '../store/send/send-set.store.js';
import { ManySends, notLeftOut, type ManyKind, type ManyParts } from './many-sends.js';
import { RESOLUTIONS, type Resolution } from './resolve-send.js';

/** Which uncertain sends a preview looks at; members that are not given do not restrict it. */
export const ResolveFilter = z.object({
  ...keptSendFilter,
  states: listOf(z.literal('uncertain')),
  sends: listOf(z.uuid()).optional(),
});
export type ResolveFilter = z.output<typeof ResolveFilter>;

export interface Resolving {
  readonly resolution: Resolution;
  readonly reason: string | null;
}

export const RESOLVE_SETS = new SendSets<ResolveFilter, Resolving>(RESOLVE_TABLES);

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

const RESOLVES: ManyKind<ResolveFilter, Resolving, ResolvesView, ResolveItem> = {
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

export class ResolveMany extends ManySends<ResolveFilter, Resolving, ResolvesView, ResolveItem> {
  constructor(parts: ManyParts<ResolveFilter, Resolving>) {
    super(parts, RESOLVES);
  }
}

function viewOf(whole: SetRow<ResolveFilter> & Resolving): ResolvesView {
  const { token, filter, resolution, reason, found, leftOut } = whole;
  const { createdAt, createdBy, expiresAt, confirmedAt, confirmedBy, doneAt } = whole;
  return {
    token,
    state: STATES[whole.state],
    filter,
    resolution,
    reason,
    found,
    resolve: notLeftOut(whole),
    resolved: whole.done,
    leftOut,
    createdAt,
    createdBy,
    expiresAt,
    confirmedAt,
    confirmedBy,
    doneAt,
  };
}

/** Nobody is asked before a resolve. */
const STATES = {
  gathering: 'gathering',
  asking: 'gathering',
  ready: 'ready',
  expired: 'expired',
  acting: 'resolving',
  done: 'done',
} as const satisfies Record<SetRow<ResolveFilter>['state'], ResolvesView['state']>;
