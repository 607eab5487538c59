// The fingerprint of a plan (planning.md §9), so that what was previewed is run exactly, or refused. It covers what is
// decided, never what changes from minute to minute (mode, hand-off, load).
import { createHash } from 'node:crypto';
import type { Campaign } from './campaign.js';
import type { AudienceFacts, Plan, PlannedCell } from './plan-types.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

/**
 * SHA-256 in hex over cells, dues, verdicts, delivery, audience with the versions of its lists, message and tzdata
 * version. The delivery itself is included because a recurrence is more than its occurrences of the next weeks.
 */
export function planHash(plan: Plan, campaign: Campaign, facts: AudienceFacts, now: EpochMs): string {
  const decided = {
    occurrences: plan.occurrences.map(({ occurrence, cells }) => [
      occurrence,
      cells.map((cell) => decidedOf(cell, campaign, now)),
    ]),
    refusal: plan.refusal?.code ?? null,
    audience: campaign.audience,
    delivery: campaign.delivery,
    lists: Object.entries(facts.lists ?? {}).map(([name, list]) => [name, list.version]),
    messageType: campaign.messageType,
    message: campaign.message,
    tzdata: plan.tzdata.version,
  };
  return createHash('sha256').update(stableJson(decided)).digest('hex');
}

function decidedOf(cell: PlannedCell, campaign: Campaign, now: EpochMs): unknown[] {
  const verdicts = [cell.dst, cell.passed.kind, cell.night.kind, cell.quiet.kind, cell.skipped ?? null];
  const runs = decidedRuns(cell, campaign, now);
  return [cell.key, cell.recipients ?? null, cell.chunks, runs, verdicts, cell.expired !== undefined];
}

/**
 * What goes "now" is due at a different millisecond in every preview. The decision is only that it goes now, and how long
 * after that the rest follows, unless a window defers it: then to the same instant whatever now is. Of passed zones that
 * join the minutes of a pace, only the number of requests was decided.
 */
function decidedRuns(cell: PlannedCell, { delivery, policy }: Campaign, now: EpochMs): unknown[] {
  const sentNow = cell.passed.kind === 'sent-now';
  if (sentNow && policy.pace !== null) return [];
  const deferred = cell.night.kind === 'deferred' || cell.quiet.kind === 'deferred';
  const asksNow = delivery.kind === 'now' || delivery.kind === 'schedule';
  const from = (asksNow && cell.dueAt - cell.paceMs === now) || (sentNow && !deferred) ? now : 0;
  return cell.runs.map(({ first, count, dueAt, stepMs, perStep, skipped }) => [
    first,
    count,
    dueAt - from,
    stepMs,
    perStep,
    skipped ?? null,
  ]);
}

/** JSON with the members of every object sorted by name, so that equal values give equal text. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
