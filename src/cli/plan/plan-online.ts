// `carillon plan FILE --online`: the scheduler at CARILLON_URL plans the campaign, by its own push project, and asks the push
// service for the zones that are not known (POST /v1/plans?lookUp=true). Reads its answer back into a plan. Schedules nothing.
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { policyDefaults } from '../../scheduler/decide/timing/campaign-policy.js';
import type { Plan, PlannedCell, PlanWarning } from '../../scheduler/decide/plan/plan-types.js';
import { overlay } from '../../scheduler/store/policy-data.js';
import { PlanProblemView, PlanView, PreviewedCell } from '../../scheduler/store/read/plan-view.js';
import { callScheduler, schedulerApi } from '../shell/scheduler-api.js';

const Page = z.object({
  planHash: z.string(),
  serviceId: z.string(),
  ...PlanView.shape,
  refusal: PlanProblemView.nullable(),
  items: z.array(PreviewedCell),
  nextCursor: z.string().nullable(),
});
type Page = z.output<typeof Page>;

const PAGE = 500;

export interface OnlinePlan {
  readonly plan: Plan;
  readonly planHash: string;
  readonly serviceId: string;
  /** The answer itself, with all of its cells. */
  readonly document: object;
}

export async function planOnline(file: string): Promise<OnlinePlan> {
  const api = schedulerApi({ role: 'publisher', why: '--online asks the scheduler: ' });
  const body = readFileSync(file, 'utf8');
  const first = await callScheduler(api, `/v1/plans?lookUp=true&limit=${PAGE}`, Page, body);
  const cells = [...first.items];
  for (let cursor = first.nextCursor; cursor !== null;) {
    const query = new URLSearchParams({ limit: String(PAGE), cursor }).toString();
    const page = await callScheduler(api, `/v1/plans/${first.planHash}?${query}`, Page);
    cells.push(...page.items);
    cursor = page.nextCursor;
  }
  const { nextCursor: _cursor, ...document } = { ...first, items: cells };
  const { planHash, serviceId } = first;
  return { plan: planOf(first, cells), planHash, serviceId, document };
}

function planOf(page: Page, shown: readonly PreviewedCell[]): Plan {
  const { totals, load, tzdata, refusal, nextLookAt } = page;
  const byOccurrence = new Map<string, PlannedCell[]>();
  for (const cell of shown) {
    const { occurrence } = cell;
    const cells = byOccurrence.get(occurrence) ?? [];
    byOccurrence.set(occurrence, cells);
    cells.push(cellOf(cell));
  }
  return {
    occurrences: [...byOccurrence].map(([occurrence, cells]) => ({ occurrence, cells })),
    policy: overlay(policyDefaults, page.policy),
    // A newer scheduler may have warnings that are not known here; each has its text.
    warnings: page.warnings as unknown as PlanWarning[],
    refusal: refusal ?? undefined,
    totals: {
      ...totals,
      firstDueAt: instantOr(totals.firstDueAt),
      lastDueAt: instantOr(totals.lastDueAt),
      expectedEndAt: instantOr(totals.expectedEndAt),
    },
    load: load.map((minute) => ({ ...minute, minute: Date.parse(minute.minute) })),
    nextLookAt: nextLookAt === undefined ? undefined : Date.parse(nextLookAt),
    tzdata,
  };
}

function cellOf(shown: PreviewedCell): PlannedCell {
  const { verdicts, local, recipients, skipped, requests, cell: key } = shown;
  const handOffAt = Date.parse(shown.handOffAt ?? '');
  const dueAt = instantOr(shown.dueAt) ?? handOffAt;
  const left = Object.entries(verdicts.skippedRequests ?? {});
  const run = { first: 0, dueAt, stepMs: 0, perStep: 1 };
  return {
    ...shown,
    key,
    reason: verdicts.fallback,
    target: shown.target as PlannedCell['target'],
    recipients: recipients ?? undefined,
    askedLocal: local?.asked ?? null,
    localReading: local?.reading as PlannedCell['localReading'],
    intendedAt: instantOr(shown.intendedAt) ?? dueAt,
    dueAt,
    lastDueAt: instantOr(verdicts.lastDueAt) ?? dueAt,
    deadlineAt: instantOr(verdicts.deadlineAt) ?? dueAt,
    dst: verdicts.dst,
    passed: { ...verdicts.passedZone, to: dueAt } as PlannedCell['passed'],
    night: { ...verdicts.night, to: dueAt } as PlannedCell['night'],
    quiet: { ...verdicts.quietHours, to: dueAt } as PlannedCell['quiet'],
    jitterMs: verdicts.jitterMs,
    paceMs: verdicts.paceMs,
    mode: shown.mode ?? 'immediate',
    rule: shown.rule ?? 'DUE_NOW',
    handOffAt,
    chunks: requests,
    runs: left.map(([code, count]) => ({ ...run, count, skipped: code as PlannedCell['skipped'] })),
    skipped: skipped ?? undefined,
    expired: verdicts.expired,
    late: verdicts.late,
    nightRequests: verdicts.nightRequests,
  };
}

function instantOr(text: string | null | undefined): number | null {
  return text === null || text === undefined ? null : Date.parse(text);
}
