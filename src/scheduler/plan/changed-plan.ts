// Whether a campaign that names a planHash would be planned as it was previewed (planning.md §9), and cell by cell how
// otherwise. Reads the preview that is kept under the hash; never writes.
import type { Sql } from '../../platform/database/database.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type { PlanDifference } from '../decide/plan/campaign-draft.js';
import { planHash } from '../decide/plan/plan-hash.js';
import type { PlanProblem } from '../decide/plan/plan-types.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import { previewByHash, previewCells } from './plan-preview.store.js';
import { planFrom, type PlannedFrom } from './plan-from.js';
import type { PreviewedCell } from '../store/send/read/plan-view.js';
import { shownCells } from './shown-plan.js';

export function hashOf({ plan, campaign, audience, now }: PlannedFrom): string {
  return planHash(plan, campaign, audience, now);
}

/** When the plan was previewed whose hash the campaign names; undefined where none is kept under it. */
export async function previewedAt(
  sql: Sql,
  { serviceId, planHash: asked }: Campaign,
  now: EpochMs,
): Promise<EpochMs | undefined> {
  if (asked === undefined) return undefined;
  return (await previewByHash(sql, asked, [serviceId], now))?.madeAt.getTime();
}

/** Undefined where the campaign names no hash, or this plan's own. */
export async function changedPlan(sql: Sql, from: PlannedFrom): Promise<PlanDifference | undefined> {
  const { serviceId, now } = from;
  const asked = from.campaign.planHash;
  // The hash of 1 200 cells takes as long as planning them: only where somebody asks for it.
  if (asked === undefined) return undefined;
  const whole = withCanceled(from);
  const hash = hashOf(whole);
  if (asked === hash) return undefined;
  const preview = await previewByHash(sql, asked, [serviceId], now);
  const all = { after: 0, limit: null };
  const was = preview === undefined ? undefined : await previewCells(sql, { serviceId, hash: asked }, all);
  return differenceOf(
    hash,
    was?.map(({ cell }) => cell),
    whole.plan.occurrences.flatMap(shownCells),
  );
}

/** As it was previewed: what somebody cancelled since is no other plan, though it is planned without. */
function withCanceled(from: PlannedFrom): PlannedFrom {
  if (from.before?.leftOut === undefined || from.before.leftOut.size === 0) return from;
  return planFrom({ ...from, before: { ...from.before, leftOut: new Set() } });
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

/** Of the cells that differ. */
const LISTED = 100;

/** `was` undefined: the previewed plan is not kept any more. */
function differenceOf(
  hash: string,
  was: readonly PreviewedCell[] | undefined,
  is: readonly PreviewedCell[],
): PlanDifference {
  if (was === undefined) return { planHash: hash, cellsChanged: 0, cells: [], known: false };
  const keyOf = ({ occurrence, cell }: PreviewedCell): string => `${occurrence} ${cell}`;
  const before = new Map(was.map((cell) => [keyOf(cell), cell]));
  const after = new Map(is.map((cell) => [keyOf(cell), cell]));
  const changed = [...new Set([...before.keys(), ...after.keys()])]
    .map((key) => ({
      was: decided(before.get(key)),
      is: decided(after.get(key)),
      named: after.get(key) ?? before.get(key),
    }))
    .filter((pair) => JSON.stringify(pair.was) !== JSON.stringify(pair.is));
  const cells = changed.slice(0, LISTED).map((pair) => ({
    occurrence: pair.named?.occurrence ?? '',
    cell: pair.named?.cell ?? '',
    was: pair.was,
    is: pair.is,
  }));
  return { planHash: hash, cellsChanged: changed.length, cells, known: true };
}

/** What a hash is over, of one cell; its mode and hand-off change by the minute. */
function decided(cell: PreviewedCell | undefined): object | null {
  if (cell === undefined) return null;
  const { dueAt, requests, recipients, skipped } = cell;
  return { dueAt, requests, recipients, skipped };
}
