// What an operator may say about an uncertain send, after finding out what became of it. Pure.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { Mode } from '../timing/send-mode.js';

export const RESOLUTIONS = ['confirmed-sent', 'confirmed-not-sent'] as const;
export type Resolution = (typeof RESOLUTIONS)[number];

/** `uncertain ─operator▶ sent │ failed: CONFIRMED_NOT_SENT`, where nothing is left to follow. */
export const RESOLVED = {
  'confirmed-sent': { state: 'sent', code: 'CONFIRMED_SENT' },
  'confirmed-not-sent': { state: 'failed', code: 'CONFIRMED_NOT_SENT' },
} as const satisfies Record<Resolution, { state: 'sent' | 'failed'; code: string }>;

/** A reservation that is not due yet is not sent: it is resolved with its requestId, and followed. */
export const REQUEST_ID_NEEDED = 'REQUEST_ID_NEEDED';

export type ResolvedState = 'sent' | 'failed' | 'accepted' | 'reserved' | 'scheduled';

export interface ResolutionFacts {
  readonly resolution: Resolution;
  readonly mode: Mode;
  readonly dueAt: EpochMs | null;
  readonly now: EpochMs;
  /** Named by the operator. */
  readonly givenId: string | undefined;
  /** Known before. */
  readonly knownId: string | null;
}

/**
 * The state to which the resolution leads; undefined: REQUEST_ID_NEEDED. A request that the operator names is followed: a reservation
 * until its due, all others until their result.
 */
export function resolvedState(facts: ResolutionFacts): ResolvedState | undefined {
  const { resolution, mode, dueAt, now, givenId, knownId } = facts;
  if (resolution === 'confirmed-not-sent') return RESOLVED[resolution].state;
  const isAhead = mode === 'reserved' && dueAt !== null && dueAt > now;
  if (isAhead) return (givenId ?? knownId) === null ? undefined : 'reserved';
  if (givenId === undefined) return RESOLVED[resolution].state;
  return mode === 'scheduled' ? 'scheduled' : 'accepted';
}
