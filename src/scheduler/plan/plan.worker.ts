// The functions of planning that a thread runs: the same pure functions that the event loop runs for small plans.
import { serialize } from 'node:v8';
import { handedOver } from '../../platform/workers/worker-pool.js';
import { zoneRulesOfThread } from '../../zone-rules/zone-rules-of-thread.js';
import type { CellDifference } from './changed-cells.js';
import { makePlan, planDifference, type DifferenceJob, type MadePlan, type PlanJob } from './make-plan.js';

/** `tzdata`: TZDATA_DIR. */
interface WithRules {
  readonly tzdata: string | undefined;
}

/** Returns pages as bytes, so that the event loop decodes one at a time, when it writes it. */
export function plan({ tzdata, ...job }: PlanJob & WithRules): MadePlan<Uint8Array, Uint8Array> {
  const made = makePlan(job, zoneRulesOfThread(tzdata));
  const units = made.units.map((unit) => ({
    ...unit,
    pages: unit.pages.map((page): Uint8Array => serialize(page)),
  }));
  const cells = made.cells.map((page): Uint8Array => serialize(page));
  return handedOver({ ...made, units, cells }, [...units.flatMap(({ pages }) => pages), ...cells]);
}

export function difference({ tzdata, ...job }: DifferenceJob & WithRules): CellDifference {
  return planDifference(job, zoneRulesOfThread(tzdata));
}
