// Finds attempts of this process that the database has lost, and makes their sends uncertain, so that nobody fires them again.
import { typedRows } from '../../../platform/database/row-arrays.js';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { uncertainWaitMs } from '../../decide/lifecycle/next-poll.js';
import type { SendState } from '../../decide/lifecycle/send-state.js';
import { inOrderOfId } from './move.store.js';

/** The code of these sends. */
const COMMIT_LOST = 'COMMIT_LOST';
/** The same states as in send_state_is_awaited. */
const AWAITED: ReadonlySet<SendState | null> = new Set(['sending', 'uncertain'] as const);

export interface MadeAttempt {
  readonly id: string;
  readonly attempt: number;
}

/** The row of a send that was fired; nulls: there is no row. */
export interface RowOfFired extends MadeAttempt {
  readonly attempts: number | null;
  readonly state: SendState | null;
}

const STANDING = prepared('select id, attempts, state from send where id = any($1::uuid[])');

/** The attempts that their sends' rows do not have, or for which these have no final answer. By the primary key. */
export async function rowsWithout(sql: Sql, made: readonly MadeAttempt[]): Promise<RowOfFired[]> {
  const found = await sql.query<{ id: string; attempts: number; state: SendState }>(STANDING, [
    made.map(({ id }) => id),
  ]);
  const byId = new Map(found.map((row) => [row.id, row]));
  return made
    .map(({ id, attempt }): RowOfFired => {
      const { attempts, state } = byId.get(id) ?? { attempts: null, state: null };
      return { id, attempt, attempts, state };
    })
    .filter(
      ({ attempt, attempts, state }) =>
        attempts === null || attempts < attempt || (attempts === attempt && AWAITED.has(state)),
    );
}

export interface LostFire extends MadeAttempt {
  readonly firedAt: EpochMs;
  /** For asking for its result; null: there is no answer yet, or it has no requestId. */
  readonly requestId: string | null;
}
type LostRow = LostFire & { readonly nextAt: EpochMs };

export const LOST_FIRES = typedRows<LostRow>(
  'lost_fire',
  'id uuid, attempt int, request_id text, fired_at timestamptz, next_at timestamptz',
);
// sql/scheduler/functions/mark_lost_fires.sql.
const MARK = prepared(`select ${LOST_FIRES.callOf('mark_lost_fires', 5)} as marked`);

/**
 * Makes sends uncertain whose rows still lack the attempt, and writes its number: so the attempt's answer is recorded, and nobody can
 * fire that attempt again. Returns how many.
 */
export async function markLostFires(
  sql: Sql,
  lost: readonly LostFire[],
  { at, by, replica }: { at: EpochMs; by: string; replica: string },
): Promise<number> {
  if (lost.length === 0) return 0;
  const rows = inOrderOfId(lost).map((fire) => ({ ...fire, nextAt: at + uncertainWaitMs(fire.requestId) }));
  const detail = 'the database lost this attempt: its server was replaced or restored';
  const others = [COMMIT_LOST, detail, new Date(at), by, replica];
  const row = await firstRow<{ marked: number }>(sql, MARK, [...LOST_FIRES.parametersOf(rows), ...others]);
  return row?.marked ?? 0;
}
