// Moves sends from one state to another with an instant, a reason and a name, where nothing else changes.
import { firstRow, type Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { SendState } from '../../decide/lifecycle/send-state.js';

export interface SendMove {
  /** `attempts` is the number that was read; null: any. */
  readonly sends: readonly { readonly id: string; readonly attempts: number | null }[];
  readonly from: SendState;
  readonly to: SendState;
  readonly code: string;
  readonly detail: string | null;
  /** Where it became known. */
  readonly requestId?: string | null;
  readonly nextAt: EpochMs | null;
  readonly at: EpochMs;
  readonly by: string;
}

/** Returns how many it moved: those that still stood as given. sql/scheduler/functions/move_sends.sql. */
export async function moveSends(sql: Sql, move: SendMove): Promise<number> {
  const sends = inOrderOfId(move.sends);
  const row = await firstRow<{ moved: number }>(
    sql,
    'select move_sends($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) as moved',
    [
      sends.map(({ id }) => id),
      sends.map(({ attempts }) => attempts),
      move.from,
      move.to,
      move.code,
      move.detail,
      move.requestId ?? null,
      move.nextAt === null ? null : new Date(move.nextAt),
      new Date(move.at),
      move.by,
    ],
  );
  return row?.moved ?? 0;
}

/** The order in which every statement locks many sends, so that two statements never deadlock. */
export function inOrderOfId<Row extends { readonly id: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
