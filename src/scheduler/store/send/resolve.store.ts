// Moves uncertain sends by an operator's resolution: they were sent, or taken, or they were not. Never changes a send in another state.
import type { Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { ResolvedState } from '../../decide/lifecycle/resolution.js';
import { moveSends } from './move.store.js';

/** The codes of sends that an operator resolved. */
export const RESOLVED_CODES = ['CONFIRMED_SENT', 'CONFIRMED_NOT_SENT'] as const;

export interface ResolveOrder {
  readonly send: string;
  readonly state: ResolvedState;
  readonly code: (typeof RESOLVED_CODES)[number];
  readonly detail: string | null;
  /** Undefined: it stays as it is. */
  readonly requestId?: string | undefined;
  readonly now: EpochMs;
  readonly by: string;
}

/** States in which a send is followed, from now on. */
const FOLLOWED: readonly ResolvedState[] = ['accepted', 'reserved', 'scheduled'];

/** True if the send was uncertain and this moved it. An answer that comes later changes nothing: see end_attempts.sql. */
export async function resolveUncertain(sql: Sql, { send, ...order }: ResolveOrder): Promise<boolean> {
  if ((await moveUncertain(sql, [send], order)) !== 1) return false;
  if (FOLLOWED.includes(order.state)) await cancelIfAsked(sql, send, order);
  return true;
}

/** A cancel or a pause came while it was uncertain: what the push service holds is cancelled there. By the primary key of send_open. */
async function cancelIfAsked(
  sql: Sql,
  send: string,
  { now, by }: Pick<ResolveOrder, 'now' | 'by'>,
): Promise<void> {
  await sql.query(
    `update send s set state = 'canceling', changes = s.changes + 1, state_at = $2, state_by = $3, next_at = $2
      where s.id = $1 and s.ended_at = 'infinity' and s.state in ('reserved', 'scheduled') and s.goal is not null`,
    [send, new Date(now), by],
  );
}

export interface ResolvedMany {
  readonly resolved: ReadonlySet<string>;
  /** Reservations that are not due yet: each is resolved on its own, with its requestId. */
  readonly ahead: ReadonlySet<string>;
}

/** The same for many, in the caller's transaction. Locks the sends in order of id. */
export async function resolveAllUncertain(
  sql: Sql,
  {
    sends,
    ...order
  }: Omit<ResolveOrder, 'send' | 'state'> & {
    readonly sends: readonly string[];
    readonly state: 'sent' | 'failed';
  },
): Promise<ResolvedMany> {
  const found = await sql.query<{ id: string; ahead: boolean }>(
    `select s.id, s.mode = 'reserved' and s.due_at > $2 as ahead from send_open s
      where s.id = any($1::uuid[]) and s.state = 'uncertain' order by s.id for no key update`,
    [sends, new Date(order.now)],
  );
  const ahead = order.state === 'sent' ? found.filter((send) => send.ahead).map(({ id }) => id) : [];
  const ids = found.map(({ id }) => id).filter((id) => !ahead.includes(id));
  const moved = await moveUncertain(sql, ids, order);
  if (moved !== ids.length)
    throw new Error(`${ids.length} sends were locked as uncertain, ${moved} resolved`);
  return { resolved: new Set(ids), ahead: new Set(ahead) };
}

function moveUncertain(
  sql: Sql,
  ids: readonly string[],
  {
    state,
    code,
    detail,
    requestId = null,
    now,
    by,
  }: Omit<ResolveOrder, 'send' | 'requestId'> & {
    readonly requestId?: string | undefined | null;
  },
): Promise<number> {
  const nextAt = FOLLOWED.includes(state) ? now : null;
  const how = { attempts: null, fromState: 'uncertain', toState: state, requestId, nextAt } as const;
  return moveSends(
    sql,
    ids.map((id) => ({ id, ...how, code, detail })),
    { at: now, by },
  );
}
