// Judges a zone where the wall time asked for is already over (planning.md §4), by the policy `passedZone`. Only for times on the
// recipient's clock. Pure.
import { DAY_MS, formatLocal, type LocalMs } from '../../../zone-rules/civil.js';
import type { EpochMs, ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import { requireZoneTable } from '../audience/zone-by-name.js';
import type { PlanInput, TimedCell } from '../plan/plan-types.js';
import { isLeftOut, resolveLocal } from './local-time.js';

export interface PassedZoneFacts extends Pick<PlanInput, 'campaign' | 'rules' | 'now'> {
  /** In a recurrence `next-day` counts as `skip`: the next day has an occurrence of its own, or was not meant to have one. */
  readonly recurring: boolean;
}

interface JudgedPassedZone {
  readonly judged: TimedCell;
  /** The wall time it goes by. With `next-day` it is that of a later day, whose DST verdict the cell then has; the caller applies it. */
  readonly local: LocalMs;
}

/** Returns the cell unchanged if its wall time is still to come; else as the policy says. Its windows are judged afterwards. */
export function judgePassedZone(cell: TimedCell, local: LocalMs, facts: PassedZoneFacts): JudgedPassedZone {
  const { now, campaign, rules, recurring } = facts;
  const { passedZone: policy, dst } = campaign.policy;
  if (cell.intendedAt >= now) return { judged: cell, local };
  const skipped: TimedCell = { ...cell, passed: { kind: 'skipped' }, skipped: 'PASSED_ZONE' };
  switch (policy.kind) {
    case 'skip':
      return { judged: skipped, local };
    case 'reject': {
      const passed = { kind: 'rejected' } as const;
      return {
        judged: { ...cell, passed, skipped: 'REJECTED_BY_POLICY', rejectedBy: 'passedZone' },
        local,
      };
    }
    case 'send-now':
      return { judged: { ...cell, passed: { kind: 'sent-now', to: now }, dueAt: now }, local };
    case 'next-day':
      return (recurring ? undefined : onALaterDay(cell, local, facts)) ?? { judged: skipped, local };
    case 'floor': {
      const { instant, verdict } = resolveLocal(local, requireZoneTable(policy.zone, rules), dst);
      if (instant < now || isLeftOut(verdict)) return { judged: skipped, local };
      return { judged: { ...cell, passed: { kind: 'floored', to: instant }, dueAt: instant }, local };
    }
    default:
      return policy satisfies never;
  }
}

/** The same wall time on the first day on which it is still to come. The deadline limits how far away that may be. */
function onALaterDay(
  cell: TimedCell,
  local: LocalMs,
  { now, campaign }: PassedZoneFacts,
): JudgedPassedZone | undefined {
  const { table } = cell;
  const daysBehind = Math.max(1, Math.floor((table.toLocal(now) - local) / DAY_MS));
  for (const days of [daysBehind, daysBehind + 1, daysBehind + 2]) {
    const later = local + days * DAY_MS;
    const { instant, verdict } = resolveLocal(later, table, campaign.policy.dst);
    if (instant < now || (isLeftOut(verdict) && gapIsOver(later, table, now))) continue;
    const passed = { kind: 'next-day', to: instant } as const;
    const judged = { ...cell, passed, dueAt: instant, dst: verdict, dstLocal: formatLocal(later) };
    return { judged, local: later };
  }
  return undefined;
}

/** A wall time in a gap that the policy does not move is over once the gap is over. */
function gapIsOver(local: LocalMs, table: ZoneOffsets, now: EpochMs): boolean {
  const found = table.candidates(local);
  return found.kind === 'gap' && found.end <= now;
}
