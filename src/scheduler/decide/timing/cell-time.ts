// The first half of planning.md §4 for one cell of one occurrence: local time → DST → passed zone → night and quiet
// hours. Jitter, pace and the second look at the windows follow over all cells together.
import type { LocalMs } from '../../../zone-rules/civil.js';
import { formatLocal } from '../../../zone-rules/civil.js';
import type { Campaign } from '../plan/campaign.js';
import { deadlineOf } from '../lifecycle/deadline.js';
import { resolveLocal } from './local-time.js';
import { judgePassedZone } from './passed-zone.js';
import type { CellBase, RejectedBy, TimedCell } from '../plan/plan-types.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';
import type { ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import { judgeWindows, type WindowRule } from './windows.js';

/** What an occurrence asks of every cell: an instant, or a wall time on the cell's own clock. */
export type AskedTime =
  { readonly kind: 'instant'; readonly at: EpochMs } | { readonly kind: 'local'; readonly local: LocalMs };

export interface CellTimeFacts {
  readonly campaign: Campaign;
  readonly rules: ZoneRules;
  readonly now: EpochMs;
  readonly windows: readonly WindowRule[];
  /** passedZone holds: the recipient's clock, and of a recurrence only the first occurrence planned. */
  readonly passedZoneHolds: boolean;
  readonly recurring: boolean;
}

/** One occurrence in every cell. What is decided here is decided by the clock, so once for all cells of a zone. */
export function timeCells(
  bases: readonly CellBase[],
  tableOf: (zone: string) => ZoneOffsets,
  asked: AskedTime,
  facts: CellTimeFacts,
): TimedCell[] {
  const ofZone = new Map<string, TimedCell>();
  return bases.map((base) => {
    const known = ofZone.get(base.zone);
    if (known !== undefined) return { ...known, base };
    const timed = timeCell(base, tableOf(base.zone), asked, facts);
    ofZone.set(base.zone, timed);
    return timed;
  });
}

export function timeCell(
  base: CellBase,
  table: ZoneOffsets,
  asked: AskedTime,
  facts: CellTimeFacts,
): TimedCell {
  const { campaign, now } = facts;
  const local = asked.kind === 'local' ? asked.local : undefined;
  const resolved =
    local === undefined
      ? ({ verdict: 'exact', instant: asked.kind === 'instant' ? asked.at : now } as const)
      : resolveLocal(local, table, campaign.policy.dst);
  const intendedAt = resolved.instant;
  const cell = {
    base,
    table,
    askedLocal: local === undefined ? null : formatLocal(local),
    intendedAt,
    dueAt: intendedAt,
    deadlineAt: deadlineOf(intendedAt, campaign.policy.deadline, table),
    dst: resolved.verdict,
    passed: { kind: 'not-passed' },
    night: { kind: 'outside' },
    quiet: { kind: 'outside' },
    jitterMs: 0,
  } satisfies TimedCell;
  if (resolved.verdict === 'skipped') return { ...cell, skipped: 'DST_GAP' };
  if (resolved.verdict === 'rejected') {
    return { ...cell, skipped: 'REJECTED_BY_POLICY', rejectedBy: dstMember(local ?? 0, table) };
  }
  return local !== undefined && facts.passedZoneHolds
    ? afterPassedZone(cell, local, facts)
    : afterLateness(cell, facts);
}

function afterPassedZone(cell: TimedCell, local: LocalMs, facts: CellTimeFacts): TimedCell {
  const { campaign, now, rules, recurring } = facts;
  const { passedZone: policy, dst } = campaign.policy;
  const { intendedAt, table } = cell;
  const judged = judgePassedZone({ local, intendedAt, now, table, policy, dst, rules, recurring });
  const moved = {
    ...cell,
    passed: judged.verdict,
    dueAt: judged.at,
    dst: judged.dst ?? cell.dst,
    ...(judged.local === undefined ? {} : { dstLocal: formatLocal(judged.local) }),
  };
  if (judged.verdict.kind === 'rejected') {
    return { ...moved, skipped: 'REJECTED_BY_POLICY', rejectedBy: 'passedZone' };
  }
  if (judged.dst === 'rejected' && judged.local !== undefined) {
    return { ...moved, skipped: 'REJECTED_BY_POLICY', rejectedBy: dstMember(judged.local, table) };
  }
  return judged.skipped === undefined ? afterWindows(moved, facts) : { ...moved, skipped: judged.skipped };
}

/** Which member of `policy.dst` spoke of a wall time that does not come exactly once. */
function dstMember(local: LocalMs, table: ZoneOffsets): RejectedBy {
  return table.candidates(local).kind === 'gap' ? 'dst.gap' : 'dst.overlap';
}

/** Any other time in the past follows `lateness` (planning.md §4). */
function afterLateness(cell: TimedCell, facts: CellTimeFacts): TimedCell {
  const { lateness } = facts.campaign.policy;
  const lateMs = facts.now - cell.dueAt;
  if (lateMs > lateness.maxMs && lateness.beyond === 'expire') return { ...cell, expired: { lateMs } };
  return afterWindows(cell, facts);
}

/** What is late goes out now, so it is on now's clock that the windows are judged; due stays what it was. */
function afterWindows(cell: TimedCell, { windows, now }: CellTimeFacts): TimedCell {
  const goesAt = Math.max(cell.dueAt, now);
  const judged = judgeWindows(goesAt, cell.table, windows, cell.deadlineAt);
  const dueAt = judged.at === goesAt ? cell.dueAt : judged.at;
  const { night, quiet } = judged;
  const moved = { ...cell, dueAt, night, quiet };
  if (judged.skipped !== undefined) return { ...moved, skipped: judged.skipped };
  // As the second look has it: what goes late goes beyond the deadline as little as what is deferred.
  return Math.max(dueAt, now) > cell.deadlineAt ? { ...moved, skipped: 'DEADLINE' } : moved;
}
