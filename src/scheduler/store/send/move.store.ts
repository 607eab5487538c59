// Moves sends from one state to another and writes when, why and by whom; changes nothing else.
import { typedRows } from '../../../platform/database/row-arrays.js';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { SendState } from '../../decide/lifecycle/send-state.js';

export interface SendMove {
  readonly id: string;
  /** The number that was read; null: any. */
  readonly attempts: number | null;
  readonly fromState: SendState;
  readonly toState: SendState;
  readonly code: string;
  readonly detail: string | null;
  /** null: it stays as it is. */
  readonly requestId: string | null;
  readonly nextAt: EpochMs | null;
}

export const MOVES = typedRows<SendMove>(
  'send_move',
  `id uuid, attempts int, from_state text, to_state text, code text, detail text, request_id text,
   next_at timestamptz`,
);
// sql/scheduler/functions/move_sends.sql.
const MOVE = prepared(`select ${MOVES.callOf('move_sends', 2)} as moved`);

/** Returns how many it moved: those that still had the given state and attempt. */
export async function moveSends(
  sql: Sql,
  moves: readonly SendMove[],
  { at, by }: { readonly at: EpochMs; readonly by: string },
): Promise<number> {
  const parameters = [...MOVES.parametersOf(inOrderOfId(moves)), new Date(at), by];
  const row = await firstRow<{ moved: number }>(sql, MOVE, parameters);
  return row?.moved ?? 0;
}

/** The order in which every statement locks many sends, so that two statements never deadlock. */
export function inOrderOfId<Row extends { readonly id: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
