// An operator's word on an uncertain send: it got there, or it did not. Ends it; never touches any other state.
import type { Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { moveSends } from './move.store.js';

/** What a send carries that an operator settled. */
export const RESOLVED_CODES = ['CONFIRMED_SENT', 'CONFIRMED_NOT_SENT'] as const;

export interface ResolveOrder {
  readonly send: string;
  readonly state: 'sent' | 'failed';
  readonly code: (typeof RESOLVED_CODES)[number];
  readonly detail: string | null;
  readonly now: EpochMs;
  readonly by: string;
}

/** Whether it was uncertain and now is not. An answer that comes after it changes nothing: see end_attempts.sql. */
export async function resolveUncertain(sql: Sql, order: ResolveOrder): Promise<boolean> {
  const { send, state, now, ...why } = order;
  const sends = [{ id: send, attempts: null }];
  return (await moveSends(sql, { ...why, sends, from: 'uncertain', to: state, nextAt: null, at: now })) === 1;
}
