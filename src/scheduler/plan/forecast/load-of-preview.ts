// The load of a previewed plan, for the forecast beside what is planned already (forecast.md, "A plan beside it"). Pure.
import type { LoadGroup } from '../../decide/forecast/load-group.js';
import { policyDefaults } from '../../decide/timing/campaign-policy.js';
import { exactMs, parseDuration } from '../../decide/timing/duration.js';
import type { PlanView, PreviewedCell } from '../../store/read/plan-view.js';

/** A paced cell becomes so many groups at most, spread evenly over its time. */
const MOST_SLICES = 60;
const MINUTE_MS = 60_000;

interface Preview {
  readonly serviceId: string;
  readonly hash: string;
  readonly policy: PlanView['policy'];
}

/** Nothing of cells that are skipped or standing. `most`: how many groups all of them may become. */
export function loadOfPreview(
  { serviceId, hash, policy }: Preview,
  cells: readonly PreviewedCell[],
  most: number,
): LoadGroup[] {
  const slices = Math.max(1, Math.min(MOST_SLICES, Math.floor(most / Math.max(1, cells.length))));
  const bounds = latenessOf(policy);
  return cells.flatMap((cell): LoadGroup[] => {
    const { dueAt, handOffAt, skipped, verdicts, zone, occurrence } = cell;
    if (skipped !== null || verdicts.expired !== undefined || dueAt === null || handOffAt === null) return [];
    const left = Object.values(verdicts.skippedRequests ?? {}).reduce((sum, count) => sum + count, 0);
    const requests = cell.requests - left;
    const [due, last] = [Date.parse(dueAt), Date.parse(verdicts.lastDueAt ?? dueAt)];
    const deadlineAt = verdicts.deadlineAt === null ? null : Date.parse(verdicts.deadlineAt);
    const common = { serviceId, campaign: hash, occurrence, zone, deadlineAt, ...bounds };
    const isSpread = cell.mode === 'immediate' && last > due;
    const parts = isSpread ? Math.min(slices, requests, Math.floor((last - due) / MINUTE_MS) + 1) : 1;
    return Array.from({ length: parts }, (_, part) => {
      const at = due + Math.floor(((last - due) * part) / Math.max(1, parts - 1) / MINUTE_MS) * MINUTE_MS;
      return {
        ...common,
        requests: Math.floor((requests * (part + 1)) / parts) - Math.floor((requests * part) / parts),
        at: isSpread ? at : Date.parse(handOffAt),
        dueAt: isSpread ? at : due,
      };
    }).filter((group) => group.requests > 0);
  });
}

function latenessOf({ lateness }: PlanView['policy']): Pick<LoadGroup, 'maxLateMs' | 'beyond'> {
  const { maxMs, beyond } = policyDefaults.lateness;
  const given = parseDuration(lateness?.max ?? '');
  return {
    maxLateMs: (given === undefined ? undefined : exactMs(given)) ?? maxMs,
    beyond: lateness?.then ?? beyond,
  };
}
