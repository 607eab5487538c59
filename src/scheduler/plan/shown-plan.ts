// A plan as it is stored and shown: every instant in ISO format, every decision with its reason (planning.md §9). Pure.
import { instantText, instantTextOr } from '../../platform/instant.js';
import type { Plan, PlannedCell, PlannedOccurrence } from '../decide/plan/plan-types.js';
import type { PlanView, PreviewedCell } from '../store/read/plan-view.js';
import { shownPolicy } from '../store/read/shown-policy.js';

export function shownCells({ occurrence, cells }: PlannedOccurrence): PreviewedCell[] {
  return cells.map((cell) => shownCell(occurrence, cell));
}

function shownCell(occurrence: string, cell: PlannedCell): PreviewedCell {
  const standing = cell.mode === 'scheduled';
  const { zone, zoneSource, segment, deviceType, country, target, mode, rule } = cell;
  return {
    occurrence,
    cell: cell.key,
    zone,
    zoneSource,
    segment,
    deviceType,
    country,
    target,
    local: { asked: cell.askedLocal, reading: cell.localReading },
    intendedAt: standing ? null : instantText(cell.intendedAt),
    dueAt: standing ? null : instantText(cell.dueAt),
    handOffAt: instantText(cell.handOffAt),
    mode,
    rule,
    verdicts: shownVerdicts(cell),
    skipped: cell.skipped ?? null,
    requests: cell.chunks,
    recipients: cell.recipients ?? null,
  };
}

/** The decisions about a cell, with which plans and reports explain it. */
function shownVerdicts(cell: PlannedCell): PreviewedCell['verdicts'] {
  const { reason, expired, late, nightRequests } = cell;
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
    ...(late === undefined ? {} : { late }),
    ...(nightRequests === undefined ? {} : { nightRequests }),
    ...(Object.keys(partly).length === 0 ? {} : { skippedRequests: partly }),
  };
}

/** How many requests of a cell, by code, a pace moved into a window or past the deadline, where the rest of the cell leaves. */
function skippedRequests({ runs }: PlannedCell): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { skipped, count } of runs) {
    if (skipped !== undefined) counts[skipped] = (counts[skipped] ?? 0) + count;
  }
  return counts;
}

function shownVerdict(verdict: PlannedCell['passed' | 'night']): { kind: string; to?: string } {
  return 'to' in verdict ? { ...verdict, to: instantText(verdict.to) } : verdict;
}

/**
 * The whole plan except its cells. Totals, load and warnings are those of the occurrences worked out last. `cells` counts the cells
 * of every occurrence planned so far, `before` of which were planned earlier; the ledger checks it.
 */
export function shownPlan(plan: Plan, before = 0): PlanView {
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

/** A whole plan for programs, as `carillon plan --json` prints it: every cell with the dues of its requests. */
export function planDocument(plan: Plan, planHash: string): object {
  const document = ({ occurrence, cells, skipped }: PlannedOccurrence): object => ({
    occurrence,
    skipped,
    cells: shownCells({ occurrence, cells }).map((shown, index) => ({
      ...shown,
      runs: cells[index]?.runs.map((run) => ({ ...run, dueAt: instantText(run.dueAt) })),
    })),
  });
  return {
    planHash,
    refusal: plan.refusal,
    occurrences: plan.occurrences.map(document),
    test: plan.test && document(plan.test),
    ...shownPlan(plan),
  };
}
