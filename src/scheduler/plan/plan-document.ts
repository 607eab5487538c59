// A whole plan as programs read it (planning.md §9): every cell with its decisions, instants as ISO text. What the dry
// run answers and `carillon plan --json` prints.
import { instantText } from '../../platform/instant.js';
import type { Plan, PlannedCell, PlannedOccurrence } from '../decide/plan/plan-types.js';
import { shownPlan, shownVerdicts } from './shown-plan.js';

export function planDocument(plan: Plan, planHash: string): object {
  const cells = plan.occurrences.reduce((sum, occurrence) => sum + occurrence.cells.length, 0);
  return {
    planHash,
    ...(plan.refusal === undefined ? {} : { refusal: plan.refusal }),
    occurrences: plan.occurrences.map(shownOccurrence),
    ...(plan.test === undefined ? {} : { test: shownOccurrence(plan.test) }),
    ...(plan.nextLookAt === undefined ? {} : { nextLookAt: instantText(plan.nextLookAt) }),
    ...shownPlan(plan, cells),
  };
}

function shownOccurrence({ occurrence, cells, skipped }: PlannedOccurrence): object {
  return { occurrence, ...(skipped === undefined ? {} : { skipped }), cells: cells.map(shownCell) };
}

function shownCell(cell: PlannedCell): object {
  return {
    cell: cell.key,
    zone: cell.zone,
    zoneSource: cell.zoneSource,
    segment: cell.segment,
    deviceType: cell.deviceType,
    country: cell.country,
    target: cell.target,
    asked: cell.askedLocal,
    reading: cell.localReading,
    intendedAt: instantText(cell.intendedAt),
    dueAt: instantText(cell.dueAt),
    handOffAt: instantText(cell.handOffAt),
    mode: cell.mode,
    modeRule: cell.rule,
    verdicts: shownVerdicts(cell),
    ...(cell.skipped === undefined ? {} : { skipped: cell.skipped }),
    requests: cell.chunks,
    recipients: cell.recipients ?? null,
    runs: cell.runs.map((run) => ({ ...run, dueAt: instantText(run.dueAt) })),
  };
}
