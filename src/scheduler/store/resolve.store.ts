// An operator's word on an uncertain send: it got there, or it did not. Ends it; never touches any other state.
import { rowsOf, type Sql } from '../../platform/database.js';
import type { EpochMs } from '../decide/ports.js';

export interface ResolveOrder {
  readonly send: string;
  readonly state: 'sent' | 'failed';
  readonly code: string;
  readonly detail: string | null;
  readonly now: EpochMs;
  readonly by: string;
}

// An answer that comes after the operator's word changes nothing: see record_answers.sql.
const RESOLVE = `
update send set state = $2, changes = changes + 1, code = $3, detail = $4, state_at = $5, state_by = $6,
       next_at = null
 where id = $1 and state = 'uncertain' returning id`;

/** Whether it was uncertain and now is not. */
export async function resolveUncertain(sql: Sql, order: ResolveOrder): Promise<boolean> {
  const { send, state, code, detail, now, by } = order;
  return (await rowsOf(sql, RESOLVE, [send, state, code, detail, new Date(now), by])).length === 1;
}
