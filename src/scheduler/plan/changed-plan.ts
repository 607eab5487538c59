// Whether a campaign that names a planHash would be planned as it was previewed (planning.md §9), and how each cell would
// differ. Reads the preview that is stored under the hash; never writes.
import { isDeepStrictEqual } from 'node:util';
import type { Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type { PlanDifference } from '../decide/plan/plan-ports.js';
import { fingerprint, PLAN_PARTS, type DecidedCell } from '../decide/plan/plan-hash.js';
import type { PlanProblem } from '../decide/plan/plan-types.js';
import { planFrom, type PlannedFrom } from './plan-from.js';
import { decidedCells, previewByHash } from './plan-preview.store.js';

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
  const is = fingerprint(whole.plan, whole);
  if (asked === is.hash) return undefined;
  const preview = await previewByHash(sql, asked, [serviceId], now);
  const { hash: planHash } = is;
  if (preview === undefined) return { planHash, changed: [], cellsChanged: 0, cells: [], known: false };
  const cells = changedCells(await decidedCells(sql, { serviceId, hash: asked }), is.cells);
  return {
    planHash,
    changed: PLAN_PARTS.filter((part) => preview.digests[part] !== is.digests[part]),
    cellsChanged: cells.length,
    cells: cells.slice(0, MOST_LISTED),
    known: true,
  };
}

export function planChanged(difference: PlanDifference): PlanProblem & { difference: PlanDifference } {
  const { known, cellsChanged, changed } = difference;
  const parts = changed.filter((part) => part !== 'cells').map((part) => PART_NAMES[part]);
  const what = [
    ...(parts.length === 0 ? [] : [`what is not as it was previewed: ${parts.join(', ')}`]),
    ...(cellsChanged === 0 ? [] : [`cells that would be planned otherwise than previewed: ${cellsChanged}`]),
  ].join('; ');
  const unknown = 'the plan of this hash is not kept any more, and the campaign would not be planned so now';
  return { code: 'PLAN_CHANGED', text: known ? what : unknown, pointer: '/planHash', difference };
}

const PART_NAMES: Readonly<Record<PlanDifference['changed'][number], string>> = {
  service: 'the push project',
  message: 'the message',
  audience: 'the audience',
  delivery: 'the delivery',
  policy: 'the policy',
  zoneRules: 'the zone rules',
  refusal: 'whether it is refused',
  occurrences: 'the occurrences',
  cells: 'the cells',
};

/** Cells that differ. */
const MOST_LISTED = 100;

function changedCells(
  previewed: readonly DecidedCell[],
  planned: readonly DecidedCell[],
): PlanDifference['cells'] {
  const keyOf = ({ occurrence, cell }: DecidedCell): string => `${occurrence} ${cell}`;
  const before = new Map(previewed.map((one) => [keyOf(one), one]));
  const after = new Map(planned.map((one) => [keyOf(one), one]));
  return [...new Map([...before, ...after])]
    .map(([key, { occurrence, cell }]) => ({
      occurrence,
      cell,
      was: before.get(key)?.decided ?? null,
      is: after.get(key)?.decided ?? null,
    }))
    .filter(({ was, is }) => !isDeepStrictEqual(was, is));
}
