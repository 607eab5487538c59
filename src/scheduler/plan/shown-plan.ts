// A plan as it is stored and shown: every instant as ISO text, every decision with its reason (planning.md §9). Pure.
import { instantText, instantTextOr } from '../../platform/instant.js';
import type { PassedVerdict, Plan, PlannedCell, WindowVerdict } from '../decide/plan/plan-types.js';
import { shownPolicy } from './shown-policy.js';

export interface ShownPlan {
  readonly cells: number;
  readonly [shown: string]: unknown;
}

/** Decisions about one cell: what GET /v1/campaigns/{id}/plan and reports explain it by. */
export function shownVerdicts(cell: PlannedCell): object {
  const { reason, expired } = cell;
  const partly = cell.skipped === undefined ? skippedRequests(cell) : {};
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
    ...(Object.keys(partly).length === 0 ? {} : { skippedRequests: partly }),
  };
}

/** By code: what a pace pushed into a window or past the deadline, where the rest of the cell leaves. */
function skippedRequests({ runs }: PlannedCell): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { skipped, count } of runs) {
    if (skipped !== undefined) counts[skipped] = (counts[skipped] ?? 0) + count;
  }
  return counts;
}

function shownVerdict(verdict: PassedVerdict | WindowVerdict): object {
  return 'to' in verdict ? { ...verdict, to: instantText(verdict.to) } : verdict;
}

/**
 * All of a plan but its cells: totals, load and warnings are of the occurrences planned last, `cells` counts those of
 * every occurrence planned so far (`before` of them earlier): the ledger checks it.
 */
export function shownPlan(plan: Plan, before = 0): ShownPlan {
  const { totals, load, policy, warnings, tzdata } = plan;
  return {
    cells: before + plan.occurrences.reduce((sum, { cells }) => sum + cells.length, 0),
    policy: shownPolicy(policy),
    warnings,
    totals: {
      ...totals,
      firstDueAt: instantTextOr(totals.firstDueAt),
      lastDueAt: instantTextOr(totals.lastDueAt),
      expectedEndAt: instantTextOr(totals.expectedEndAt),
    },
    load: load.map((minute) => ({ ...minute, minute: instantText(minute.minute) })),
    tzdata,
    ...(plan.nextLookAt === undefined ? {} : { nextLookAt: instantText(plan.nextLookAt) }),
  };
}
