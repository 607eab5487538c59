// Sends from one state to another, each by an instant, a reason and whoever moves them: what needs nothing else.
import type { Sql } from '../../../platform/database/database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { SendState } from '../../decide/lifecycle/send-state.js';

export interface SendMove {
  /** By the attempt that was read; null: whichever is the newest. */
  readonly sends: readonly { readonly id: string; readonly attempts: number | null }[];
  readonly from: SendState;
  readonly to: SendState;
  readonly code: string;
  readonly detail: string | null;
  /** Where one is known now. */
  readonly requestId?: string | null;
  readonly nextAt: EpochMs | null;
  readonly at: EpochMs;
  readonly by: string;
}

/** Returns how many stood as was said, and are moved. sql/scheduler/functions/move_sends.sql. */
export async function moveSends(sql: Sql, move: SendMove): Promise<number> {
  const sends = inOrderOfId(move.sends);
  const [row] = await sql.query<{ moved: number }>(
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

/** The order in which every statement over many sends locks them, so that two never wait for each other in a circle. */
export function inOrderOfId<Row extends { readonly id: string }>(rows: readonly Row[]): Row[] {
  return rows.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
