// Planned sends that do not leave when they were to: later, in another mode, or not at all.
import { columnsOf } from '../../../platform/database/columns.js';
import type { Sql } from '../../../platform/database/database.js';
import type { Mode, ModeRule } from '../../decide/timing/mode.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { inOrderOfId } from './move.store.js';

/** Of a send as it was read: whoever moved it since is not contradicted. */
export interface Settlement {
  readonly id: string;
  readonly attempts: number;
  readonly changes: number;
  readonly state: 'planned' | 'expired' | 'skipped';
  readonly code: string | null;
  readonly detail: string | null;
  /** Of a send that stays planned: when and how it is to leave now; null keeps what stands. */
  readonly handOffAt: EpochMs | null;
  readonly mode: Mode | null;
  readonly modeRule: ModeRule | null;
  readonly dueAt: EpochMs | null;
}

const COLUMNS = columnsOf<Settlement>(
  `id uuid, attempts int, changes int, state text, code text, detail text, hand_off_at timestamptz, mode text,
   mode_rule text, due_at timestamptz`,
);

/**
 * Returns how many were as they had been read, and are settled now. One that stays planned has not changed its state:
 * its change number stays, and a reason that is new says since when it stands.
 */
export async function settlePlanned(
  sql: Sql,
  settlements: readonly Settlement[],
  now: EpochMs,
  by: string,
): Promise<number> {
  if (settlements.length === 0) return 0;
  // sql/scheduler/functions/settle_planned.sql.
  const [row] = await sql.query<{ settled: number }>(
    `select settle_planned(${COLUMNS.arrays}, $11, $12) as settled`,
    [...COLUMNS.parametersOf(inOrderOfId(settlements)), new Date(now), by],
  );
  return row?.settled ?? 0;
}

/** Since when a planned send stands with this code; undefined: it does not. */
export async function plannedWithCodeSince(sql: Sql, id: string, code: string): Promise<EpochMs | undefined> {
  const [row] = await sql.query<{ at: Date }>(
    "select state_at as at from send where id = $1 and state || '' = 'planned' and code = $2",
    [id, code],
  );
  return row?.at.getTime();
}
