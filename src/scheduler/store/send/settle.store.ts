// Planned sends that do not leave when they were to: later, in another mode, or not at all.
import { arraysOf, type Column } from '../../../platform/database/column-text.js';
import { rowsOf, type Sql } from '../../../platform/database/database.js';
import type { Mode, ModeRule } from '../../decide/timing/mode.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { inOrderOfId, instant } from '../batch-columns.js';

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

const COLUMNS: readonly Column<Settlement>[] = [
  { name: 'id', type: 'uuid', of: (one) => one.id },
  { name: 'attempts', type: 'int', of: (one) => one.attempts },
  { name: 'changes', type: 'int', of: (one) => one.changes },
  { name: 'state', type: 'text', of: (one) => one.state },
  { name: 'code', type: 'text', of: (one) => one.code },
  { name: 'detail', type: 'text', of: (one) => one.detail, foreign: true },
  { name: 'next_at', type: 'timestamptz', of: (one) => instant(one.handOffAt) },
  { name: 'mode', type: 'text', of: (one) => one.mode },
  { name: 'mode_rule', type: 'text', of: (one) => one.modeRule },
  { name: 'due_at', type: 'timestamptz', of: (one) => instant(one.dueAt) },
];

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
  const { arrays, parameters } = arraysOf(COLUMNS, inOrderOfId(settlements));
  // sql/scheduler/functions/settle_planned.sql.
  const [row] = await rowsOf<{ settled: number }>(
    sql,
    `select settle_planned(${arrays.join(', ')}, $11, $12) as settled`,
    [...parameters, new Date(now), by],
  );
  return row?.settled ?? 0;
}

/** Since when a planned send stands with this code; undefined: it does not. */
export async function plannedWithCodeSince(sql: Sql, id: string, code: string): Promise<EpochMs | undefined> {
  const [row] = await rowsOf<{ at: Date }>(
    sql,
    "select state_at as at from send where id = $1 and state || '' = 'planned' and code = $2",
    [id, code],
  );
  return row?.at.getTime();
}
