// The first half of planning.md §4 for one cell of one occurrence: local time → DST → passed zone → night and quiet
// hours. Jitter, pace and the second check of the windows come after it, for all cells together.
import { DAY_MS, formatLocal, type LocalMs } from '../../../zone-rules/civil.js';
import type { EpochMs, ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import { requireZoneTable } from '../audience/zones.js';
import { deadlineOf } from '../lifecycle/deadline.js';
import type { CellBase, PlanInput, TimedCell } from '../plan/plan-types.js';
import { resolveLocal, type LocalVerdict } from './local-time.js';
import { judgeWindows, OUTSIDE, type WindowRule } from './windows.js';

/** What an occurrence asks of every cell: an instant, or a wall time on the cell's own clock. */
export type AskedTime =
  { readonly kind: 'instant'; readonly at: EpochMs } | { readonly kind: 'local'; readonly local: LocalMs };

interface CellTimeFacts extends Pick<PlanInput, 'campaign' | 'rules' | 'now'> {
  readonly windows: readonly WindowRule[];
  /** passedZone applies: on the recipient's clock, and in a recurrence only to the first occurrence planned. */
  readonly passedZoneHolds: boolean;
  readonly recurring: boolean;
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
  return facts.passedZoneHolds ? afterPassedZone(cell, asked.local, facts) : afterLateness(cell, facts);
}

function isLeftOut(verdict: LocalVerdict): boolean {
  return verdict === 'skipped' || verdict === 'rejected';
}

function leftOutByDst(cell: TimedCell, local: LocalMs): TimedCell {
  if (cell.dst === 'skipped') return { ...cell, skipped: 'DST_GAP' };
  const rejectedBy = cell.table.candidates(local).kind === 'gap' ? 'dst.gap' : 'dst.overlap';
  return { ...cell, skipped: 'REJECTED_BY_POLICY', rejectedBy };
}

/** What becomes of a zone where the wall time asked for is already over (planning.md §4), by the policy `passedZone`. */
function afterPassedZone(cell: TimedCell, local: LocalMs, facts: CellTimeFacts): TimedCell {
  const { now, campaign, rules, recurring } = facts;
  const { passedZone: policy, dst } = campaign.policy;
  if (cell.intendedAt >= now) return afterWindows(cell, facts);
  const skipped: TimedCell = { ...cell, passed: { kind: 'skipped' }, skipped: 'PASSED_ZONE' };
  switch (policy.kind) {
    case 'skip':
      return skipped;
    case 'reject':
      return {
        ...cell,
        passed: { kind: 'rejected' },
        skipped: 'REJECTED_BY_POLICY',
        rejectedBy: 'passedZone',
      };
    case 'send-now':
      return afterWindows({ ...cell, passed: { kind: 'sent-now', to: now }, dueAt: now }, facts);
    case 'next-day':
      // The next day of a recurrence has an occurrence of its own, or was not meant to have one.
      return recurring ? skipped : (onALaterDay(cell, local, facts) ?? skipped);
    case 'floor': {
      const { instant, verdict } = resolveLocal(local, requireZoneTable(policy.zone, rules), dst);
      if (instant < now || isLeftOut(verdict)) return skipped;
      return afterWindows({ ...cell, passed: { kind: 'floored', to: instant }, dueAt: instant }, facts);
    }
    default:
      return policy satisfies never;
  }
}

/** The same wall time on the first day on which it is still to come. The deadline limits how far away that may be. */
function onALaterDay(cell: TimedCell, local: LocalMs, facts: CellTimeFacts): TimedCell | undefined {
  const { now, campaign } = facts;
  const { table } = cell;
  const daysBehind = Math.max(1, Math.floor((table.toLocal(now) - local) / DAY_MS));
  for (const days of [daysBehind, daysBehind + 1, daysBehind + 2]) {
    const later = local + days * DAY_MS;
    const { instant, verdict } = resolveLocal(later, table, campaign.policy.dst);
    const leftOut = isLeftOut(verdict);
    if (instant < now || (leftOut && gapIsOver(later, table, now))) continue;
    const moved: TimedCell = {
      ...cell,
      passed: { kind: 'next-day', to: instant },
      dueAt: instant,
      dst: verdict,
      dstLocal: formatLocal(later),
    };
    return leftOut ? leftOutByDst(moved, later) : afterWindows(moved, facts);
  }
  return undefined;
}

/** A wall time in a gap that the policy does not move past it is over once the gap is. */
function gapIsOver(local: LocalMs, table: ZoneOffsets, now: EpochMs): boolean {
  const found = table.candidates(local);
  return found.kind === 'gap' && found.end <= now;
}

/** Any other time in the past follows `lateness` (planning.md §4). */
function afterLateness(cell: TimedCell, facts: CellTimeFacts): TimedCell {
  const { lateness } = facts.campaign.policy;
  const lateMs = facts.now - cell.dueAt;
  if (lateMs > lateness.maxMs && lateness.beyond === 'expire') return { ...cell, expired: { lateMs } };
  return afterWindows(cell, facts);
}

/** A late cell goes out now, so its windows are judged at now; its due does not change. */
function afterWindows(cell: TimedCell, { windows, now }: CellTimeFacts): TimedCell {
  const goesAt = Math.max(cell.dueAt, now);
  const { at, night, quiet, skipped } = judgeWindows(goesAt, cell.table, windows, cell.deadlineAt);
  const dueAt = at === goesAt ? cell.dueAt : at;
  // As in the check before a send: what is late may pass the deadline no more than what is deferred.
  const late = Math.max(dueAt, now) > cell.deadlineAt ? 'DEADLINE' : undefined;
  const why = skipped ?? late;
  const moved = { ...cell, dueAt, night, quiet };
  return why === undefined ? moved : { ...moved, skipped: why };
}
