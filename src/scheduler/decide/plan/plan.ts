// From a campaign to sends (planning.md §9): the one function that the planner, the dry run, `carillon plan`, the forecast and
// re-planning share, so that what is previewed is what is sent. Pure: all its facts are in its input.
import type { ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import { audienceGroups, type AudienceGroups } from '../audience/audience-groups.js';
import { cellsOfGroup } from '../audience/recipient-group.js';
import { requireZoneTable } from '../audience/zone-by-name.js';
import { askedOccurrences, MOST_OCCURRENCES } from '../recurrence/occurrences.js';
import { recurrenceWarnings } from '../recurrence/recurrence-warnings.js';
import { timeCell, timeCells } from '../timing/cell-time.js';
import { spreadZones } from '../timing/jitter.js';
import { loadOf } from './plan-load.js';
import { chooseMode } from '../timing/send-mode.js';
import { planRefusal } from './plan-refusals.js';
import { MAX_PLANNED_CELLS, occurrencesThatFit, planSize } from './plan-size.js';
import { planTotals } from './plan-totals.js';
import { chunksOf, plannedCell, runsOf, wholeMinutes, windowsOf } from './planned-cell.js';
import {
  leaves,
  type Plan,
  type PlanInput,
  type PlannedOccurrence,
  type PlanProblem,
  type TimedCell,
} from './plan-types.js';
import { inOrderOfWeight, nothingWillLeave, planWarnings } from './plan-warnings.js';
import { lateWarning } from './will-be-late.js';

export function planCampaign(given: PlanInput): Plan {
  const refusal = planRefusal(given);
  if (refusal !== undefined) return refusedPlan(given, refusal);
  const input = given.after === undefined ? given : { ...given, atMost: occurrencesAtMost(given) };
  const { campaign, rules, now } = input;
  const audience = audienceGroups(input);

  const tables = new Map<string, ZoneOffsets>();
  const tableOf = (zone: string): ZoneOffsets => {
    const table = tables.get(zone) ?? requireZoneTable(zone, rules);
    tables.set(zone, table);
    return table;
  };
  const bases = audience.groups
    .flatMap((group) => cellsOfGroup(group, campaign.policy.split))
    .filter((base) => chunksOf(base, input) > 0);
  for (const base of bases) tableOf(base.zone);

  const asked = askedOccurrences(input, [...tables.values()]);
  const { recurring } = asked;
  const windows = windowsOf(campaign);
  const onRecipientClock = campaign.delivery.kind === 'recipient';
  const timed: TimedOccurrence[] = [];
  for (const { occurrence, asked: time, first, paused } of asked.occurrences) {
    if (paused === true) {
      timed.push({ occurrence, skipped: 'PAUSED', cells: [] });
      continue;
    }
    const passedZoneHolds = onRecipientClock && first;
    const facts = { campaign, rules, now, windows, passedZoneHolds, recurring };
    const cells = timeCells(bases, tableOf, time, facts);
    const rejected = cells.find((cell) => cell.rejectedBy !== undefined);
    if (rejected !== undefined && !recurring) return refusedPlan(input, rejectedByPolicy(rejected));
    // In a recurrence a `reject` policy leaves out the whole occurrence (planning.md §4).
    const skipped = rejected === undefined ? undefined : 'REJECTED_BY_POLICY';
    const left = skipped === undefined ? cells : cells.map((cell): TimedCell => ({ ...cell, skipped }));
    // On a single clock there is nothing to spread.
    const jitterMs = onRecipientClock && tables.size > 1 ? campaign.policy.jitterMs : 0;
    timed.push({
      occurrence,
      skipped,
      cells: spreadZones(left, jitterMs, (cell) => wholeMinutes(input, cell)),
    });
  }
  return finish(input, audience, planOccurrences(input, timed), asked);
}

/** Occurrences that do not fit are planned right afterwards. */
function occurrencesAtMost(input: PlanInput): number {
  const { atMost = Infinity, mostCells = MAX_PLANNED_CELLS } = input;
  return Math.min(atMost, MOST_OCCURRENCES, occurrencesThatFit(planSize(input), mostCells));
}

/** An occurrence whose cells have their jitter. Pace and the steps after it work on all occurrences together. */
type TimedOccurrence = Omit<PlannedOccurrence, 'cells'> & { readonly cells: readonly TimedCell[] };

/** Pace, the second check of the windows, the deadline and the mode (planning.md §4, §5). */
function planOccurrences(input: PlanInput, timed: readonly TimedOccurrence[]): PlannedOccurrence[] {
  const { campaign, now, project } = input;
  const scheduled = campaign.delivery.kind === 'schedule';
  const { handoff } = campaign.policy;
  const modeAt = (dueAt: number): ReturnType<typeof chooseMode> =>
    chooseMode({ dueAt, now, scheduled, handoff, project });
  const allCells = timed.flatMap(({ cells }) => cells);
  const runs = runsOf(allCells, input);
  return timed.map(({ occurrence, skipped, cells }) => ({
    occurrence,
    skipped,
    cells: cells.map((cell) => plannedCell(cell, runs.get(cell) ?? { runs: [] }, modeAt)),
  }));
}

/** `testTo` (planning.md §6): sent at once, on nobody's clock and by no policy; the push service still checks consent. */
function testOccurrence(input: PlanInput): PlannedOccurrence | undefined {
  const { campaign, now, project, revision, rules } = input;
  const { testTo } = campaign.policy;
  if (input.withTest !== true || testTo.length === 0) return undefined;
  const audience = { type: 'USER', to: testTo, deviceType: null, country: [] } as const;
  const group = { zone: project.defaultZone, zoneSource: 'project', segment: 0, audience } as const;
  const bases = cellsOfGroup(
    { ...group, recipients: new Set(testTo).size },
    { deviceType: false, country: false },
  );
  const asked = { kind: 'instant', at: now } as const;
  const facts = { ...input, windows: [], passedZoneHolds: false, recurring: false };
  const mode = chooseMode({ dueAt: now, now, scheduled: false, handoff: 'hold', project });
  const cells = bases.map((base) => {
    const timed = timeCell(base, requireZoneTable(base.zone, rules), asked, facts);
    const run = { first: 0, count: chunksOf(base, input), dueAt: now, stepMs: 0, perStep: 1 };
    return plannedCell(timed, { runs: [run] }, () => mode);
  });
  return { occurrence: `test-${revision}`, cells };
}

function finish(
  input: PlanInput,
  audience: AudienceGroups,
  occurrences: readonly PlannedOccurrence[],
  asked: ReturnType<typeof askedOccurrences>,
): Plan {
  const cells = occurrences.flatMap((occurrence) => occurrence.cells);
  const load = loadOf(cells, input.project.ratePerSecond);
  const late = lateWarning(input, cells);
  const warnings = planWarnings(input, audience, cells, load.minutes);
  if (late !== undefined) warnings.push(late);
  if (asked.recurring && input.after === undefined) warnings.push(...recurrenceWarnings(asked, occurrences));
  if (input.after === undefined && asked.nextLookAt === undefined && !cells.some(leaves))
    warnings.push(nothingWillLeave(cells, input.audience));
  return {
    occurrences,
    test: testOccurrence(input),
    policy: input.campaign.policy,
    warnings: inOrderOfWeight(warnings),
    totals: planTotals(input.audience, audience, cells, load.drainedAt),
    load: load.minutes,
    nextLookAt: asked.nextLookAt,
    tzdata: tzdataOf(input),
  };
}

/** A plan that says only why there is none. */
export function refusedPlan(input: PlanInput, refusal: PlanProblem): Plan {
  const nobody: AudienceGroups = { groups: [], warnings: [], duplicates: 0, invalidZones: {} };
  const totals = planTotals(input.audience, nobody, [], null);
  const { policy } = input.campaign;
  return { occurrences: [], policy, warnings: [], refusal, totals, load: [], tzdata: tzdataOf(input) };
}

function tzdataOf({ rules: { source, version } }: PlanInput): Plan['tzdata'] {
  return { source, version };
}

/** planning.md §4: `reject` refuses a one-shot campaign as a whole. */
function rejectedByPolicy({ base, rejectedBy, dstLocal, askedLocal }: TimedCell): PlanProblem {
  const inZone = `${dstLocal ?? askedLocal ?? 'the time'} in ${base.zone}`;
  const reasons = {
    'dst.gap': ['DST_GAP', `${inZone} is skipped by a DST change`, '/policy/dst/gap'],
    'dst.overlap': ['DST_OVERLAP', `${inZone} comes twice, by a DST change`, '/policy/dst/overlap'],
    passedZone: ['PASSED_ZONE', `${inZone} is over`, '/policy/passedZone'],
  } as const;
  const [code, text, pointer] = reasons[rejectedBy ?? 'passedZone'];
  return { code, text: `${text}, and the policy says reject`, pointer };
}
