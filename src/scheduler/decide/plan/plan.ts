// From a campaign to sends (planning.md §9): the one function that the consumer, the dry run, `carillon plan`, the forecast
// and re-planning share, so that what is previewed is what is sent. Pure: all it knows is in its input.
import { audienceGroups, type AudienceGroups } from '../audience/audience-groups.js';
import { timeCell, timeCells } from '../timing/cell-time.js';
import { MINUTE_MS } from '../../../zone-rules/civil.js';
import { cellsOfGroup } from '../audience/groups.js';
import { spreadZones } from '../timing/jitter.js';
import { loadOf } from '../timing/load.js';
import { chooseMode } from '../timing/mode.js';
import { askedOccurrences, type AskedOccurrence } from '../recurrence/occurrences.js';
import { planRefusal } from './plan-refusals.js';
import { planTotals } from './plan-totals.js';
import { plannedCell, runsOf } from './planned-cell.js';
import type {
  CellBase,
  Plan,
  PlanInput,
  PlannedCell,
  PlannedOccurrence,
  PlanProblem,
  TimedCell,
} from './plan-types.js';
import { recurrenceWarnings } from '../recurrence/recurrence-warnings.js';
import type { ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import { planWarnings } from './warnings.js';
import { windowRules, type WindowRule } from '../timing/windows.js';
import { requireZoneTable } from '../audience/zones.js';

export function planCampaign(input: PlanInput): Plan {
  const audience = audienceGroupsUnless(planRefusal(input), input);
  if (audience.refusal !== undefined) return refusedPlan(input, audience.refusal);

  const tables = new Map<string, ZoneOffsets>();
  const tableOf = (zone: string): ZoneOffsets => {
    const known = tables.get(zone) ?? requireZoneTable(zone, input.rules);
    tables.set(zone, known);
    return known;
  };
  const bases = audience.groups
    .flatMap((group) => cellsOfGroup(group, input.campaign.policy.split))
    .filter((base) => chunksOf(base, input) > 0);
  for (const base of bases) tableOf(base.zone);

  const asked = askedOccurrences(input, [...tables.values()]);
  const firings: Firing[] = [];
  for (const occurrence of asked.occurrences) {
    const timed = timeCells(bases, tableOf, occurrence.asked, {
      campaign: input.campaign,
      rules: input.rules,
      now: input.now,
      windows: windowsOf(input.campaign),
      passedZoneHolds: input.campaign.delivery.kind === 'recipient' && occurrence.first,
      recurring: asked.recurring,
    });
    const rejected = timed.find((cell) => cell.rejectedBy !== undefined);
    if (rejected !== undefined && !asked.recurring) return refusedPlan(input, rejectedByPolicy(rejected));
    firings.push(spreadFiring(input, occurrence, timed, tables.size));
  }
  return finish(input, audience, planFirings(input, firings), asked);
}

function audienceGroupsUnless(refusal: PlanProblem | undefined, input: PlanInput): AudienceGroups {
  return refusal === undefined
    ? audienceGroups(input)
    : { groups: [], warnings: [], refusal, duplicates: 0, invalidZones: {} };
}

/** A standing message fires by the push service's own schedule, where none of our windows can be kept. */
function windowsOf({ delivery, messageType, policy }: PlanInput['campaign']): readonly WindowRule[] {
  return delivery.kind === 'schedule' ? [] : windowRules(messageType, policy);
}

/** USER ids in chunks of the project's maxTo; CHANNEL and ALL are one request (planning.md §1). */
function chunksOf(base: CellBase, { project }: Pick<PlanInput, 'project'>): number {
  return base.target.type === 'USER' ? Math.ceil((base.recipients ?? 0) / project.maxTo) : 1;
}

/** An occurrence with its cells where jitter put them; pace and what follows are over all occurrences together. */
interface Firing {
  readonly occurrence: string;
  readonly rejected: boolean;
  readonly cells: readonly TimedCell[];
}

function spreadFiring(
  input: PlanInput,
  { occurrence }: AskedOccurrence,
  timed: readonly TimedCell[],
  zones: number,
): Firing {
  const { delivery, policy } = input.campaign;
  const rejected = timed.some((cell) => cell.rejectedBy !== undefined);
  // Of a recurrence a `reject` policy takes out this occurrence, all of it (planning.md §4).
  const allowed = rejected
    ? timed.map((cell): TimedCell => ({ ...cell, skipped: 'REJECTED_BY_POLICY' }))
    : timed;
  // There is nothing to spread on one clock.
  const jitterMs = delivery.kind === 'recipient' && zones > 1 ? policy.jitterMs : 0;
  const cells = spreadZones(allowed, jitterMs, (cell) => wholeMinutes(input, cell));
  return { occurrence, rejected, cells };
}

/**
 * Whether jitter and pace move the cell by whole minutes, as reservations have to be: by what was asked, never by the
 * mode that fits now, or a plan would change with the minute it is made in. What goes now, or is late, is not reserved.
 */
function wholeMinutes({ campaign, project, now }: PlanInput, cell: TimedCell): boolean {
  if (campaign.policy.handoff !== 'reserve' || !project.reservations) return false;
  if (campaign.delivery.kind === 'now' || cell.passed.kind === 'sent-now' || cell.dueAt < now) return false;
  return cell.dueAt % MINUTE_MS === 0;
}

/** Pace, the second look at the windows, the deadline and the mode (planning.md §4, §5). */
function planFirings(input: PlanInput, firings: readonly Firing[]): PlannedOccurrence[] {
  const { campaign, now, project } = input;
  const { delivery, policy } = campaign;
  const scheduled = delivery.kind === 'schedule';
  const modeAt = (dueAt: number): ReturnType<typeof chooseMode> =>
    chooseMode({ dueAt, now, scheduled, handoff: policy.handoff, project });
  const { perMinute } = policy.pace ?? {};
  const paced = !scheduled && perMinute !== undefined;
  const runs = runsOf(
    firings.flatMap(({ cells }) => cells),
    {
      now,
      windows: windowsOf(campaign),
      pace: paced ? { perMinute, ...(input.taken === undefined ? {} : { taken: input.taken }) } : undefined,
      goesNow: delivery.kind === 'now',
      chunksOf: (cell) => chunksOf(cell.base, input),
      wholeMinutes: (cell) => wholeMinutes(input, cell),
    },
  );
  return firings.map(({ occurrence, rejected, cells }) => ({
    occurrence,
    cells: cells.map((cell) => plannedCell(cell, runs.get(cell) ?? { runs: [] }, modeAt)),
    ...(rejected ? { skipped: 'REJECTED_BY_POLICY' as const } : {}),
  }));
}

/** `testTo` (planning.md §6): at once, on nobody's clock, by no policy; consent holds at the push service. */
function testOccurrence(input: PlanInput): PlannedOccurrence | undefined {
  const { campaign, now, project, revision } = input;
  const { testTo } = campaign.policy;
  if (input.withTest !== true || testTo.length === 0) return undefined;
  const audience = { type: 'USER', to: testTo, deviceType: null, country: [] } as const;
  const group = { zone: project.defaultZone, zoneSource: 'project', segment: 0, audience } as const;
  const [base] = cellsOfGroup(
    { ...group, recipients: new Set(testTo).size },
    { deviceType: false, country: false },
  );
  if (base === undefined) return undefined;
  const timed = timeCell(
    base,
    requireZoneTable(base.zone, input.rules),
    { kind: 'instant', at: now },
    { campaign, rules: input.rules, now, windows: [], passedZoneHolds: false, recurring: false },
  );
  const run = { first: 0, count: 1, dueAt: now, stepMs: 0, perStep: 1 };
  const mode = chooseMode({ dueAt: now, now, scheduled: false, handoff: 'hold', project });
  return { occurrence: `test-${revision}`, cells: [plannedCell(timed, { runs: [run] }, () => mode)] };
}

function finish(
  input: PlanInput,
  audience: AudienceGroups,
  occurrences: readonly PlannedOccurrence[],
  asked: ReturnType<typeof askedOccurrences>,
): Plan {
  const cells: PlannedCell[] = occurrences.flatMap((occurrence) => occurrence.cells);
  const load = loadOf(cells, input.project.ratePerSecond);
  const warnings = planWarnings(input, audience, cells, load.minutes);
  if (asked.recurring && input.after === undefined) warnings.push(...recurrenceWarnings(asked, occurrences));
  const test = testOccurrence(input);
  return {
    occurrences,
    ...(test === undefined ? {} : { test }),
    policy: input.campaign.policy,
    warnings,
    totals: planTotals(input, audience, cells, load.drainedAt),
    load: load.minutes,
    ...(asked.nextLookAt === undefined ? {} : { nextLookAt: asked.nextLookAt }),
    tzdata: { source: input.rules.source, version: input.rules.version },
  };
}

function refusedPlan(input: PlanInput, refusal: PlanProblem): Plan {
  const nobody: AudienceGroups = { groups: [], warnings: [], duplicates: 0, invalidZones: {} };
  return {
    occurrences: [],
    policy: input.campaign.policy,
    warnings: [],
    refusal,
    totals: planTotals(input, nobody, [], null),
    load: [],
    tzdata: { source: input.rules.source, version: input.rules.version },
  };
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
