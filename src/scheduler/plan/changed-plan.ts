// Judges whether a campaign that names a planHash would be planned as it was previewed (planning.md §9), and how each cell would
// differ. Reads the preview that is stored under the hash; never writes.
import type { Sql } from '../../platform/database/database.js';
import type { EpochMs } from '../../zone-rules/zone-rules.js';
import type { Campaign } from '../decide/plan/campaign.js';
import type { PlanDifference } from '../decide/plan/plan-ports.js';
import { HASHED_MEMBERS } from '../decide/plan/plan-hash.js';
import type { PlanProblem } from '../decide/plan/plan-types.js';
import type { PlanJob } from './make-plan.js';
import type { PagedPlan, PlanMaker } from './plan-maker.js';
import { decidedTexts, previewByHash } from './plan-preview.store.js';

/** When the plan whose hash the campaign names was previewed; undefined where none is stored under the hash. */
export async function previewedAt(
  sql: Sql,
  { serviceId, planHash: asked }: Campaign,
  now: EpochMs,
): Promise<EpochMs | undefined> {
  if (asked === undefined) return undefined;
  return (await previewByHash(sql, asked, [serviceId], now))?.madeAt.getTime();
}

/** Undefined where the campaign names no hash, or the hash of this very plan. `made`: the plan of `job`. */
export async function changedPlan(
  sql: Sql,
  plans: Pick<PlanMaker, 'difference'>,
  job: PlanJob,
  made: Pick<PagedPlan, 'fingerprint'>,
): Promise<PlanDifference | undefined> {
  const { campaign, now } = job;
  const { serviceId, planHash: asked } = campaign;
  const is = made.fingerprint;
  if (asked === undefined || is === undefined || asked === is.hash) return undefined;
  const preview = await previewByHash(sql, asked, [serviceId], now);
  const { hash: planHash } = is;
  if (preview === undefined) return { planHash, changed: [], cellsChanged: 0, cells: [], known: false };
  const difference = await plans.difference(job, await decidedTexts(sql, { serviceId, hash: asked }));
  const changed = HASHED_MEMBERS.filter((member) => preview.digests[member] !== is.digests[member]);
  return { planHash, changed, ...difference, known: true };
}

export function planChanged(difference: PlanDifference): PlanProblem & { difference: PlanDifference } {
  const { known, cellsChanged, changed } = difference;
  const members = changed.filter((member) => member !== 'cells').map((member) => MEMBER_NAMES[member]);
  const what = [
    ...(members.length === 0 ? [] : [`what is not as it was previewed: ${members.join(', ')}`]),
    ...(cellsChanged === 0 ? [] : [`cells that would be planned otherwise than previewed: ${cellsChanged}`]),
  ].join('; ');
  const unknown = 'the plan of this hash is not kept any more, and the campaign would not be planned so now';
  return { code: 'PLAN_CHANGED', text: known ? what : unknown, pointer: '/planHash', difference };
}

const MEMBER_NAMES: Readonly<Record<PlanDifference['changed'][number], string>> = {
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
