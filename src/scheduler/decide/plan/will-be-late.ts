// Warns of a plan whose requests are expected to leave too late, because of what else its project is to hand off (forecast.md). Pure.
import { lengthText } from '../timing/length-text.js';
import { lastDepartures, type Load } from '../forecast/send-queue.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { addCell } from './plan-load.js';
import { leaves, type PlanInput, type PlannedCell, type PlanWarning } from './plan-types.js';

interface Ours extends Load {
  readonly dueAt: EpochMs;
  readonly deadlineAt: EpochMs;
}

/** Undefined: all of it leaves in time, or nothing is known of the other load. */
export function lateWarning(
  { campaign, project, queue, now }: Pick<PlanInput, 'campaign' | 'project' | 'queue' | 'now'>,
  cells: readonly PlannedCell[],
): PlanWarning | undefined {
  if (queue === undefined) return undefined;
  const ours = loadsOf(cells);
  const departures = lastDepartures([...ours, ...queue], project.ratePerSecond, now);
  const { maxMs } = campaign.policy.lateness;
  const late = ours.flatMap((load, index) => {
    const leavesAt = Math.ceil(departures[index] ?? now);
    const byMs = Math.max(leavesAt - load.dueAt - maxMs, leavesAt - load.deadlineAt);
    return byMs > 0 ? [{ requests: load.requests, lateMs: leavesAt - load.dueAt }] : [];
  });
  if (late.length === 0) return undefined;
  const requests = late.reduce((sum, one) => sum + one.requests, 0);
  const worst = late.reduce((most, { lateMs }) => Math.max(most, lateMs), 0);
  const text = `because of the project's rate, requests are expected to leave later than policy.lateness.max or the deadline allow: up to ${requests}, the last of them ${lengthText(worst)} late`;
  return { code: 'WILL_BE_LATE', text, pointer: '/policy' };
}

function loadsOf(cells: readonly PlannedCell[]): Ours[] {
  const loads: Ours[] = [];
  for (const cell of cells) {
    if (!leaves(cell) || cell.mode === 'scheduled') continue;
    addCell(cell, (at, requests) => {
      const dueAt = cell.mode === 'immediate' ? at : cell.dueAt;
      loads.push({ at, requests, dueAt, deadlineAt: cell.deadlineAt });
    });
  }
  return loads;
}
