// The first half of planning.md §4 for one cell of one occurrence: local time → DST → passed zone → night and quiet
// hours. Jitter, pace and the second check of the windows come after it, for all cells together.
import { formatLocal, type LocalMs } from '../../../zone-rules/civil.js';
import type { EpochMs, ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import { deadlineOf } from '../lifecycle/deadline.js';
import type { CellBase, TimedCell } from '../plan/plan-types.js';
import { isLeftOut, resolveLocal } from './local-time.js';
import { judgePassedZone, type PassedZoneFacts } from './passed-zone.js';
import { judgeWindows, OUTSIDE, type WindowRule } from './window-rules.js';

/** The time that an occurrence asks for in every cell: an instant, or a wall time on the cell's own clock. */
export type AskedTime =
  { readonly kind: 'instant'; readonly at: EpochMs } | { readonly kind: 'local'; readonly local: LocalMs };

interface CellTimeFacts extends PassedZoneFacts {
  readonly windows: readonly WindowRule[];
  /** passedZone applies: on the recipient's clock, and in a recurrence only to the first occurrence planned. */
  readonly passedZoneHolds: boolean;
}

/** One occurrence in every cell. All these decisions depend only on the clock, so they are made once for each zone. */
export function timeCells(
  bases: readonly CellBase[],
  tableOf: (zone: string) => ZoneOffsets,
  asked: AskedTime,
  facts: CellTimeFacts,
): TimedCell[] {
  const byZone = new Map<string, TimedCell>();
  return bases.map((base) => {
    const known = byZone.get(base.zone);
    if (known !== undefined) return { ...known, base };
    const timed = timeCell(base, tableOf(base.zone), asked, facts);
    byZone.set(base.zone, timed);
    return timed;
  });
}

export function timeCell(
  base: CellBase,
  table: ZoneOffsets,
  asked: AskedTime,
  facts: CellTimeFacts,
): TimedCell {
  const { dst, deadline } = facts.campaign.policy;
  const { instant, verdict } =
    asked.kind === 'local'
      ? resolveLocal(asked.local, table, dst)
      : ({ instant: asked.at, verdict: 'exact' } as const);
  const cell: TimedCell = {
    base,
    table,
    askedLocal: asked.kind === 'local' ? formatLocal(asked.local) : null,
    intendedAt: instant,
    dueAt: instant,
    deadlineAt: deadlineOf(instant, deadline, table),
    dst: verdict,
    passed: { kind: 'not-passed' },
    night: OUTSIDE,
    quiet: OUTSIDE,
    jitterMs: 0,
  };
  if (asked.kind === 'instant') return afterLateness(cell, facts);
  if (isLeftOut(verdict)) return leftOutByDst(cell, asked.local);
  if (!facts.passedZoneHolds) return afterLateness(cell, facts);
  const { judged, local } = judgePassedZone(cell, asked.local, facts);
  if (judged.skipped !== undefined) return judged;
  return isLeftOut(judged.dst) ? leftOutByDst(judged, local) : afterWindows(judged, facts);
}

function leftOutByDst(cell: TimedCell, local: LocalMs): TimedCell {
  if (cell.dst === 'skipped') return { ...cell, skipped: 'DST_GAP' };
  const rejectedBy = cell.table.candidates(local).kind === 'gap' ? 'dst.gap' : 'dst.overlap';
  return { ...cell, skipped: 'REJECTED_BY_POLICY', rejectedBy };
}

/** Every other time in the past follows `lateness` (planning.md §4). */
function afterLateness(cell: TimedCell, facts: CellTimeFacts): TimedCell {
  const { lateness } = facts.campaign.policy;
  const lateMs = facts.now - cell.dueAt;
  if (lateMs <= lateness.maxMs) return afterWindows(cell, facts);
  return lateness.beyond === 'expire'
    ? { ...cell, expired: { lateMs } }
    : afterWindows({ ...cell, late: { lateMs } }, facts);
}

/** A late cell goes out now, so its windows are judged at now; its due does not change. */
function afterWindows(cell: TimedCell, { windows, now }: CellTimeFacts): TimedCell {
  const goesAt = Math.max(cell.dueAt, now);
  const { at, night, quiet, skipped } = judgeWindows(goesAt, cell.table, windows, cell.deadlineAt);
  const dueAt = at === goesAt ? cell.dueAt : at;
  // As in the check before a send: a late cell may not pass the deadline, just like a deferred one.
  const late = Math.max(dueAt, now) > cell.deadlineAt ? 'DEADLINE' : undefined;
  const why = skipped ?? late;
  const moved = { ...cell, dueAt, night, quiet };
  return why === undefined ? moved : { ...moved, skipped: why };
}
