// A plan as it is stored and shown: every instant as ISO text, every decision with its reason (planning.md §9). Pure.
import { instantText, instantTextOr } from '../../platform/instant.js';
import type { PassedVerdict, Plan, PlannedCell, WindowVerdict } from '../decide/planned.js';

/** Decisions about one cell: what GET /v1/campaigns/{id}/plan and reports explain it by. */
export function shownVerdicts(cell: PlannedCell): object {
  const { reason, expired } = cell;
  return {
    dst: cell.dst,
    passedZone: shownVerdict(cell.passed),
    night: shownVerdict(cell.night),
    quietHours: shownVerdict(cell.quiet),
    jitterMs: cell.jitterMs,
    paceMs: cell.paceMs,
    deadlineAt: instantText(cell.deadlineAt),
    lastDueAt: instantText(cell.lastDueAt),
    ...(reason === undefined ? {} : { fallback: reason }),
    ...(expired === undefined ? {} : { expired }),
  };
}

function shownVerdict(verdict: PassedVerdict | WindowVerdict): object {
  return 'to' in verdict ? { ...verdict, to: instantText(verdict.to) } : verdict;
}

/** All of a plan but its cells. `cells` is how many there are over all occurrences planned: the ledger checks it. */
export function shownPlan(plan: Plan, cells: number): object {
  const { totals, load, warnings, tzdata } = plan;
  return {
    cells,
    warnings,
    totals: {
      ...totals,
      firstDueAt: instantTextOr(totals.firstDueAt),
      lastDueAt: instantTextOr(totals.lastDueAt),
      expectedEndAt: instantTextOr(totals.expectedEndAt),
    },
    load: load.map((minute) => ({ ...minute, minute: instantText(minute.minute) })),
    tzdata,
    ...(plan.pacedUntil === undefined ? {} : { pacedUntil: instantText(plan.pacedUntil) }),
  };
}
