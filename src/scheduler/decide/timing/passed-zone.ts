// Zones where the wall time asked for is already over (planning.md §4). Only for the recipient's clock.
import { DAY_MS, type LocalMs } from '../../../zone-rules/civil.js';
import { resolveLocal, type LocalVerdict } from './local-time.js';
import type { PassedVerdict, SkipCode } from '../plan/plan-types.js';
import type { DstPolicy, PassedZonePolicy } from './policy.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';
import type { ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import { requireZoneTable } from '../audience/zones.js';

export interface PassedFacts {
  readonly local: LocalMs;
  readonly intendedAt: EpochMs;
  readonly now: EpochMs;
  readonly table: ZoneOffsets;
  readonly policy: PassedZonePolicy;
  readonly dst: DstPolicy;
  readonly rules: ZoneRules;
  /** In a recurrence `next-day` counts as `skip`: the next day has its own occurrence, or was not meant to. */
  readonly recurring: boolean;
}

export interface JudgedPassed {
  readonly verdict: PassedVerdict;
  readonly at: EpochMs;
  readonly skipped?: SkipCode;
  /** next-day: the wall time it goes by instead, and what DST makes of that one. */
  readonly local?: LocalMs;
  readonly dst?: LocalVerdict;
}

/** What becomes of a cell by the campaign's passedZone policy. `rejected` is for the caller to act on: it ends more than the cell. */
export function judgePassedZone(facts: PassedFacts): JudgedPassed {
  const { intendedAt, now, policy } = facts;
  if (intendedAt >= now) return { verdict: { kind: 'not-passed' }, at: intendedAt };
  const skipped: JudgedPassed = { verdict: { kind: 'skipped' }, at: intendedAt, skipped: 'PASSED_ZONE' };
  switch (policy.kind) {
    case 'skip':
      return skipped;
    case 'reject':
      return { verdict: { kind: 'rejected' }, at: intendedAt, skipped: 'REJECTED_BY_POLICY' };
    case 'send-now':
      return { verdict: { kind: 'sent-now', to: now }, at: now };
    case 'next-day':
      return facts.recurring ? skipped : onALaterDay(facts, skipped);
    case 'floor': {
      const floor = resolveLocal(facts.local, requireZoneTable(policy.zone, facts.rules), facts.dst);
      const usable = floor.instant >= now && floor.verdict !== 'skipped' && floor.verdict !== 'rejected';
      return usable ? { verdict: { kind: 'floored', to: floor.instant }, at: floor.instant } : skipped;
    }
    default:
      return policy satisfies never;
  }
}

/** The same wall time on the first day that has it yet to come; how far that may be, the deadline says. */
function onALaterDay({ local, now, table, dst }: PassedFacts, skipped: JudgedPassed): JudgedPassed {
  const daysBehind = Math.max(1, Math.floor((table.toLocal(now) - local) / DAY_MS));
  for (const days of [daysBehind, daysBehind + 1, daysBehind + 2]) {
    const later = local + days * DAY_MS;
    const { instant, verdict } = resolveLocal(later, table, dst);
    const leftOut = verdict === 'skipped' || verdict === 'rejected';
    if (instant < now || (leftOut && gapIsOver(later, table, now))) continue;
    const judged = {
      verdict: { kind: 'next-day', to: instant },
      at: instant,
      local: later,
      dst: verdict,
    } as const;
    if (!leftOut) return judged;
    return { ...judged, skipped: verdict === 'skipped' ? 'DST_GAP' : 'REJECTED_BY_POLICY' };
  }
  return skipped;
}

/** A wall time that nobody moves past its gap is over with the gap. */
function gapIsOver(local: LocalMs, table: ZoneOffsets, now: EpochMs): boolean {
  const found = table.candidates(local);
  return found.kind === 'gap' && found.end <= now;
}
