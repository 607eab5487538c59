// Puts planned sends back that do not leave as planned: they leave later, in another mode, or not at all.
import { typedRows } from '../../../platform/database/row-arrays.js';
import { prepared } from '../../../platform/database/pooled-database.js';
import { firstRow, type Sql } from '../../../platform/database/database.js';
import type { Mode, ModeRule } from '../../decide/timing/send-mode.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { inOrderOfId } from './move.store.js';

/** For a send as it was read: a send that was moved since is not changed. */
export interface PutBackRow {
  readonly id: string;
  readonly attempts: number;
  readonly changes: number;
  readonly state: 'planned' | 'expired' | 'skipped';
  readonly code: string | null;
  readonly detail: string | null;
  /** These four say when and how a send that stays planned is to leave; null: as before. */
  readonly handOffAt: EpochMs | null;
  readonly mode: Mode | null;
  readonly modeRule: ModeRule | null;
  readonly dueAt: EpochMs | null;
}

export const PUT_BACKS = typedRows<PutBackRow>(
  'put_back',
  `id uuid, attempts int, changes int, state text, code text, detail text, hand_off_at timestamptz, mode text,
   mode_rule text, due_at timestamptz`,
);
// sql/scheduler/functions/put_back_sends.sql.
const PUT_BACK = prepared(`select ${PUT_BACKS.callOf('put_back_sends', 2)} as moved`);

/**
 * Returns how many it put back: those that had not changed since they were read. A send that stays planned keeps its change number,
 * because its state does not change; with a new code it gets a new stateAt.
 */
export async function putBackPlanned(
  sql: Sql,
  sends: readonly PutBackRow[],
  now: EpochMs,
  by: string,
): Promise<number> {
  if (sends.length === 0) return 0;
  const parameters = [...PUT_BACKS.parametersOf(inOrderOfId(sends)), new Date(now), by];
  const row = await firstRow<{ moved: number }>(sql, PUT_BACK, parameters);
  return row?.moved ?? 0;
}

/** Since when a planned send has had this code; undefined: it has another, or is not planned. */
export async function plannedWithCodeSince(sql: Sql, id: string, code: string): Promise<EpochMs | undefined> {
  const row = await firstRow<{ at: Date }>(
    sql,
    "select state_at as at from send_open where id = $1 and state = 'planned' and code = $2",
    [id, code],
  );
  return row?.at.getTime();
}
