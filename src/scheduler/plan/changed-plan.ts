// Whether a campaign that names a planHash would be planned as it was previewed (planning.md §9), and how each cell would
// differ. Reads the preview that is stored under the hash; never writes.
import type { Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type { PlanDifference } from '../decide/plan/plan-ports.js';
import { planHash } from '../decide/plan/plan-hash.js';
import type { PlanProblem } from '../decide/plan/plan-types.js';
import type { PreviewedCell } from '../store/read/plan-view.js';
import { planFrom, type PlannedFrom } from './plan-from.js';
import { previewByHash, previewCells } from './plan-preview.store.js';
import { shownCells } from './shown-plan.js';

export function hashOf({ plan, campaign, audience, now }: PlannedFrom): string {
  return planHash(plan, campaign, audience, now);
}

/** When the plan whose hash the campaign names was previewed; undefined where none is stored under the hash. */
export async function previewedAt(
  sql: Sql,
  { serviceId, planHash: asked }: Campaign,
  now: EpochMs,
): Promise<EpochMs | undefined> {
  if (asked === undefined) return undefined;
  return (await previewByHash(sql, asked, [serviceId], now))?.madeAt.getTime();
}

/** Undefined where the campaign names no hash, or the hash of this very plan. */
export async function changedPlan(sql: Sql, from: PlannedFrom): Promise<PlanDifference | undefined> {
  const { campaign, now, leftOut } = from;
  const { serviceId, planHash: asked } = campaign;
  // The hash of 1 200 cells takes as long as planning them, so it is computed only where a campaign asks for it.
  if (asked === undefined) return undefined;
  // What was cancelled since the preview is left out of the plan, but that alone does not make it a different plan.
  const whole =
    leftOut === undefined || leftOut.size === 0 ? from : planFrom({ ...from, leftOut: new Set() });
  const hash = hashOf(whole);
  if (asked === hash) return undefined;
  if ((await previewByHash(sql, asked, [serviceId], now)) === undefined)
    return { planHash: hash, cellsChanged: 0, cells: [], known: false };
  const rows = await previewCells(sql, { serviceId, hash: asked }, { after: 0, limit: null });
  const previewed = rows.map(({ cell }) => cell);
  const changed = changedCells(previewed, whole.plan.occurrences.flatMap(shownCells));
  return { planHash: hash, cellsChanged: changed.length, cells: changed.slice(0, MOST_LISTED), known: true };
}

export function planChanged(difference: PlanDifference): PlanProblem & { difference: PlanDifference } {
  const { known, cellsChanged } = difference;
  const what = !known
    ? 'the plan of this hash is not kept any more, and the campaign would not be planned so now'
    : cellsChanged > 0
      ? `cells that would be planned otherwise than previewed: ${cellsChanged}`
      : 'the message, the audience or the zone rules are not those of the preview';
  return { code: 'PLAN_CHANGED', text: what, pointer: '/planHash', difference };
}

/** Cells that differ. */
const MOST_LISTED = 100;

function changedCells(
  previewed: readonly PreviewedCell[],
  planned: readonly PreviewedCell[],
): PlanDifference['cells'] {
  const keyOf = ({ occurrence, cell }: PreviewedCell): string => `${occurrence} ${cell}`;
  const before = new Map(previewed.map((cell) => [keyOf(cell), cell]));
  const after = new Map(planned.map((cell) => [keyOf(cell), cell]));
  return [...new Map([...before, ...after])]
    .map(([key, { occurrence, cell }]) => ({
      occurrence,
      cell,
      was: decided(before.get(key)),
      is: decided(after.get(key)),
    }))
    .filter(({ was, is }) => JSON.stringify(was) !== JSON.stringify(is));
}

/** The part of a cell that the hash covers; its mode and hand-off change from minute to minute. */
function decided(cell: PreviewedCell | undefined): object | null {
  if (cell === undefined) return null;
  const { dueAt, requests, recipients, skipped } = cell;
  return { dueAt, requests, recipients, skipped };
}
