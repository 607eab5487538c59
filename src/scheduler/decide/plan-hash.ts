// The fingerprint of a plan (planning.md §9): what was previewed is run exactly, or refused. Over what is decided, never
// over what changes by the minute (mode, hand-off, load).
import { createHash } from 'node:crypto';
import type { Campaign } from './campaign.js';
import type { AudienceFacts, Plan, PlannedCell } from './planned.js';
import type { EpochMs } from './ports.js';

/** SHA-256, hex, over cells, dues, verdicts, audience with the versions of its lists, message and tzdata version. */
export function planHash(plan: Plan, campaign: Campaign, facts: AudienceFacts, now: EpochMs): string {
  const decided = {
    occurrences: plan.occurrences.map(({ occurrence, cells }) => [
      occurrence,
      cells.map((cell) => decidedOf(cell, now)),
    ]),
    refusal: plan.refusal?.code ?? null,
    audience: campaign.audience,
    segments: campaign.delivery.kind === 'recipient' ? (campaign.delivery.segments ?? []) : [],
    lists: Object.entries(facts.lists ?? {}).map(([name, list]) => [name, list.version]),
    messageType: campaign.messageType,
    message: campaign.message,
    tzdata: plan.tzdata.version,
  };
  return createHash('sha256').update(stableJson(decided)).digest('hex');
}

function decidedOf(cell: PlannedCell, now: EpochMs): unknown[] {
  // What goes "now" is due at another millisecond in every preview; that it goes now is what was decided.
  const from = cell.dueAt === now ? now : 0;
  const runs = cell.runs.map(({ first, count, dueAt, stepMs, perStep, skipped }) => [
    first,
    count,
    dueAt - from,
    stepMs,
    perStep,
    skipped ?? null,
  ]);
  const verdicts = [cell.dst, cell.passed.kind, cell.night.kind, cell.quiet.kind, cell.skipped ?? null];
  return [cell.key, cell.recipients ?? null, cell.chunks, runs, verdicts, cell.expired !== undefined];
}

/** JSON with the members of every object in order of name, so that equal values have equal text. */
function stableJson(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}
