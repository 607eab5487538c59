// Ends uncertain sends by an operator's resolution: they were sent, or they were not. Never changes a send in another state.
import type { Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { moveSends } from './move.store.js';

/** The codes of sends that an operator resolved. */
export const RESOLVED_CODES = ['CONFIRMED_SENT', 'CONFIRMED_NOT_SENT'] as const;

export interface ResolveOrder {
  readonly send: string;
  readonly state: 'sent' | 'failed';
  readonly code: (typeof RESOLVED_CODES)[number];
  readonly detail: string | null;
  readonly now: EpochMs;
  readonly by: string;
}

/** True if the send was uncertain and this ended it. An answer that comes later changes nothing: see end_attempts.sql. */
export async function resolveUncertain(sql: Sql, { send, ...order }: ResolveOrder): Promise<boolean> {
  return (await moveUncertain(sql, [send], order)) === 1;
}

/** The same for many, in the caller's transaction. Returns the sends that it ended; locks them in order of id. */
export async function resolveAllUncertain(
  sql: Sql,
  { sends, ...order }: Omit<ResolveOrder, 'send'> & { readonly sends: readonly string[] },
): Promise<ReadonlySet<string>> {
  const found = await sql.query<{ id: string }>(
    `select s.id from send_open s where s.id = any($1::uuid[]) and s.state = 'uncertain' order by s.id for no key update`,
    [sends],
  );
  const ids = found.map(({ id }) => id);
  const moved = await moveUncertain(sql, ids, order);
  if (moved !== ids.length)
    throw new Error(`${ids.length} sends were locked as uncertain, ${moved} resolved`);
  return new Set(ids);
}

function moveUncertain(
  sql: Sql,
  ids: readonly string[],
  { state, code, detail, now, by }: Omit<ResolveOrder, 'send'>,
): Promise<number> {
  const how = {
    attempts: null,
    fromState: 'uncertain',
    toState: state,
    requestId: null,
    nextAt: null,
  } as const;
  return moveSends(
    sql,
    ids.map((id) => ({ id, ...how, code, detail })),
    { at: now, by },
  );
}
