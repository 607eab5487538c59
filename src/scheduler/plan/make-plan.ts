// Makes a plan from plain data, which can be handed to a thread and back. The planner, the dry run and the check of a planHash
// call the same two functions, on the event loop for small plans and in a thread for all others (plan-maker.ts). Pure.
import type { EpochMs, ZoneRules } from '../../zone-rules/zone-rules.js';
import { lastPollAt } from '../decide/audience/audience-needs.js';
import { plannedAtOnce } from '../decide/recurrence/occurrences.js';
import { refusedPlan } from '../decide/plan/plan.js';
import { fingerprint, type DecidedCell, type Fingerprint } from '../decide/plan/plan-hash.js';
import type {
  AudienceFacts,
  Plan,
  PlanInput,
  PlanningProject,
  PlanProblem,
} from '../decide/plan/plan-types.js';
import type { PlanView } from '../store/read/plan-view.js';
import { changedCells, type CellDifference } from './changed-cells.js';
import { withPlan, type FactsWithPlan } from './facts-with-plan.js';
import type { CellTexts } from './plan-preview.store.js';
import { planUnits, type PlanPage, type PlanUnit } from './plan-rows.js';
import { shownCells, shownPlan } from './shown-plan.js';

/** The facts about an audience as plain data: no function can be handed to a thread. */
export interface PlainFacts extends Omit<AudienceFacts, 'zoneOf'> {
  /** By userId, the offset that the push service answered; null: it does not know the user. */
  readonly known?: ReadonlyMap<string, number | null>;
  /** By userId, the zone in the directory. */
  readonly zones?: ReadonlyMap<string, string>;
}

export interface PlanJob extends Omit<PlanInput, 'rules' | 'audience'> {
  readonly id: string;
  readonly audience: PlainFacts;
  /** `rows`: for the planner. `cells`: for the dry run. `hash` and `warnings`: only these. */
  readonly want: 'rows' | 'cells' | 'hash' | 'warnings';
}

/** `Page` and `Texts`: these, or their bytes as a thread hands them over. */
export interface MadePlan<Page = PlanPage, Texts = CellTexts> extends Pick<
  Plan,
  'refusal' | 'nextLookAt' | 'warnings'
> {
  /** When look-ups end at the latest: lastPollAt(). */
  readonly lastPollAt: EpochMs;
  /** Without its cells. */
  readonly shown: PlanView;
  /** Made for a dry run, and where the campaign names a hash. It covers the whole plan, with cancelled occurrences. */
  readonly fingerprint?: Pick<Fingerprint, 'hash' | 'digests'> | undefined;
  /** Only for `rows`. */
  readonly units: readonly PlanUnit<Page>[];
  /** Only for `cells`: every cell, in pages. */
  readonly cells: readonly Texts[];
  /** The bytes of the texts of all cells. */
  readonly cellBytes: number;
}

/** Cells that a preview stores with one statement. */
const CELLS_AT_ONCE = 1_000;

export function makePlan(job: PlanJob, rules: ZoneRules): MadePlan {
  const planned = planOfJob(job, rules);
  const { plan } = planned;
  const found = fingerprintFor(job, () => wholeOf(planned));
  const cells = job.want === 'cells' ? cellPages(plan, found?.cells ?? []) : [];
  const near = job.want === 'rows' ? nearOf(plan, job) : plan;
  return {
    ...outline(near, job),
    fingerprint: found && { hash: found.hash, digests: found.digests },
    units: job.want === 'rows' ? planUnits({ ...planned, plan: near }) : [],
    cells,
    cellBytes: cells.reduce((sum, page) => sum + bytesOf(page), 0),
  };
}

/** The plan with only the occurrences that are planned now. Its totals and warnings are those of all that were worked out. */
function nearOf(plan: Plan, job: PlanJob): Plan {
  const { count, nextLookAt = plan.nextLookAt } = plannedAtOnce(plan.occurrences, job);
  return { ...plan, occurrences: plan.occurrences.slice(0, count), nextLookAt };
}

/** A plan that was given up: nothing of it is decided but the refusal. */
export function refusedMade(job: PlanJob, rules: ZoneRules, refusal: PlanProblem): MadePlan {
  const input = { ...inputOf(job, rules), id: job.id };
  const plan = refusedPlan(input, refusal);
  const found = fingerprintFor(job, () => ({ ...input, plan }));
  const named = found && { hash: found.hash, digests: found.digests };
  return { ...outline(plan, job), fingerprint: named, units: [], cells: [], cellBytes: 0 };
}

/** It takes as long as planning, so it is made only where somebody asks for it. */
function fingerprintFor({ want, campaign }: PlanJob, whole: () => FactsWithPlan): Fingerprint | undefined {
  const isAsked = want === 'rows' ? campaign.planHash !== undefined : want !== 'warnings';
  if (!isAsked) return undefined;
  const planned = whole();
  return fingerprint(planned.plan, planned);
}

function outline(
  plan: Plan,
  { campaign, now }: PlanJob,
): Omit<MadePlan, 'fingerprint' | 'units' | 'cells' | 'cellBytes'> {
  const { refusal, nextLookAt, warnings } = plan;
  return {
    refusal,
    nextLookAt,
    warnings,
    shown: shownPlan(plan),
    lastPollAt: lastPollAt(plan, campaign, now),
  };
}

export interface DifferenceJob extends PlanJob {
  /** As decidedTexts() reads them. */
  readonly previewed: readonly string[];
}

/** The cells that would now be planned differently than they were previewed. */
export function planDifference({ previewed, ...job }: DifferenceJob, rules: ZoneRules): CellDifference {
  const whole = wholeOf(planOfJob(job, rules));
  return changedCells(previewed, fingerprint(whole.plan, whole).cells);
}

function planOfJob(job: PlanJob, rules: ZoneRules): FactsWithPlan {
  return withPlan({ ...inputOf(job, rules), id: job.id });
}

function inputOf(
  { audience: { known, zones, ...facts }, ...job }: PlanJob,
  rules: ZoneRules,
): PlanInput & { id: string } {
  const zoneOf: AudienceFacts['zoneOf'] = (userId) => {
    const zone = zones?.get(userId);
    if (zone !== undefined) return { source: 'directory', zone };
    const offsetSeconds = known?.get(userId) ?? undefined;
    return offsetSeconds === undefined ? undefined : { source: 'registered-offset', offsetSeconds };
  };
  return { ...job, audience: { ...facts, zoneOf }, rules };
}

/** Occurrences cancelled since the preview are left out of the plan, but that alone does not make it a different plan. */
function wholeOf(planned: FactsWithPlan): FactsWithPlan {
  const { leftOut } = planned;
  return leftOut === undefined || leftOut.size === 0 ? planned : withPlan({ ...planned, leftOut: new Set() });
}

function bytesOf({ shown, decided }: CellTexts): number {
  return [...shown, ...decided].reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

/** `decided`: of the same cells, in the same order. */
function cellPages(plan: Plan, decided: readonly DecidedCell[]): CellTexts[] {
  const shown = plan.occurrences.flatMap(shownCells);
  const pages: CellTexts[] = [];
  for (let first = 0; first < shown.length; first += CELLS_AT_ONCE) {
    const end = first + CELLS_AT_ONCE;
    pages.push({
      shown: shown.slice(first, end).map((cell) => JSON.stringify(cell)),
      decided: decided.slice(first, end).map((cell) => JSON.stringify(cell.decided)),
    });
  }
  return pages;
}

/** The settings of a project that planning reads: the others, such as keys, are not handed to a thread. */
export function planningFacts(project: PlanningProject): PlanningProject {
  const { defaultZone, maxTo, principalZones, extensions, ratePerSecond } = project;
  const { reservations, minReserveLeadMs, reserveHorizonMs } = project;
  return {
    defaultZone,
    maxTo,
    principalZones,
    extensions,
    ratePerSecond,
    reservations,
    minReserveLeadMs,
    reserveHorizonMs,
  };
}
