// The fingerprint of a plan (planning.md §9): what was previewed is run exactly, or refused. Over what is decided, never
// over what changes by the minute (mode, hand-off, load).
import { createHash } from 'node:crypto';
import type { Campaign } from './campaign.js';
import type { AudienceFacts, Plan, PlannedCell } from './plan-types.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

/**
 * SHA-256, hex, over cells, dues, verdicts, delivery, audience with the versions of its lists, message and tzdata
 * version. The delivery itself is in it, for a recurrence is more than its occurrences of the next weeks.
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
 * What goes "now" is due at another millisecond in every preview: that it goes now, and how long after it the rest, is
 * what was decided; unless a window has put it off, to the same instant whatever now is. Where zones that are over join
 * the minutes of a pace, only which requests they are was decided.
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

/** JSON with the members of every object in order of name, so that equal values have equal text. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
