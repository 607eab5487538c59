// The sums that a plan shows (planning.md §9). Only counts, never estimates: recipients are null for an audience without ids.
import type { AudienceGroups } from '../audience/audience-groups.js';
import { leaves, type AudienceFacts, type PlannedCell, type PlanTotals } from './plan-types.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

export function planTotals(
  { provisional = 0 }: AudienceFacts,
  audience: AudienceGroups,
  cells: readonly PlannedCell[],
  drainedAt: EpochMs | null,
): PlanTotals {
  let requests = 0;
  let skippedRequests = 0;
  let expiredRequests = 0;
  let firstDueAt: EpochMs | null = null;
  let lastDueAt: EpochMs | null = null;
  for (const cell of cells) {
    requests += cell.chunks;
    if (cell.expired !== undefined) expiredRequests += cell.chunks;
    else {
      for (const run of cell.runs) if (run.skipped !== undefined) skippedRequests += run.count;
    }
    if (!leaves(cell)) continue;
    firstDueAt = Math.min(firstDueAt ?? cell.dueAt, cell.dueAt);
    lastDueAt = Math.max(lastDueAt ?? cell.lastDueAt, cell.lastDueAt);
  }
  return {
    cells: cells.length,
    requests,
    skippedRequests,
    expiredRequests,
    recipients: sumOf(audience.groups.map((group) => group.recipients)),
    duplicates: audience.duplicates,
    fallbackRecipients: sumOf(
      audience.groups.filter(({ zoneSource }) => zoneSource === 'fallback').map((group) => group.recipients),
    ),
    invalidZones: audience.invalidZones,
    provisional,
    firstDueAt,
    lastDueAt,
    expectedEndAt: lastDueAt === null ? null : Math.max(lastDueAt, drainedAt ?? lastDueAt),
  };
}

/** Null where one of the counts is not known; 0 where there are none. */
function sumOf(counts: readonly (number | undefined)[]): number | null {
  let sum = 0;
  for (const count of counts) {
    if (count === undefined) return null;
    sum += count;
  }
  return sum;
}
