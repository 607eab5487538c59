// The policy members of a campaign (campaign-events.md, "policy") with every default filled in. Types and defaults
// only; accept/ parses the publisher's words into them.
import type { CalendarDuration } from './duration.js';

export const GAP_POLICIES = ['forward', 'skip', 'reject'] as const;
export type GapPolicy = (typeof GAP_POLICIES)[number];

export const OVERLAP_POLICIES = ['first', 'second', 'reject'] as const;
export type OverlapPolicy = (typeof OVERLAP_POLICIES)[number];

/** What becomes of a wall time that does not exist, and of one that exists twice. */
export interface DstPolicy {
  readonly gap: GapPolicy;
  readonly overlap: OverlapPolicy;
}

export const NIGHT_POLICIES = ['consented', 'defer', 'skip'] as const;
export type NightPolicy = (typeof NIGHT_POLICIES)[number];

/** A daily window on the recipient's clock: [start, end), minutes of the day; it may cross midnight. */
export interface DailyWindow {
  readonly startMinute: number;
  readonly endMinute: number;
}

export interface QuietHours extends DailyWindow {
  readonly action: 'defer' | 'skip';
}

export const PASSED_ZONE_POLICIES = ['skip', 'send-now', 'next-day', 'reject'] as const;
export type PassedZonePolicy =
  | { readonly kind: (typeof PASSED_ZONE_POLICIES)[number] }
  /** `floor:<zone>`: passed zones go when it is that wall time in `zone`. */
  | { readonly kind: 'floor'; readonly zone: string };

export interface Policy {
  readonly dst: DstPolicy;
  readonly night: NightPolicy;
  readonly quietHours: QuietHours | null;
  readonly passedZone: PassedZonePolicy;
  /** From intendedAt; days and months count on the cell's calendar. */
  readonly deadline: CalendarDuration;
  /** `lateness.max` and `.then`: what becomes of a send more than `maxMs` behind its due. */
  readonly lateness: { readonly maxMs: number; readonly beyond: 'expire' | 'send' };
  readonly handoff: 'reserve' | 'hold';
  /** Requests a minute for the whole campaign, over all zones. */
  readonly pace: { readonly perMinute: number } | null;
  /** Zones that fall on one instant are spread over this long; 0 spreads nothing. */
  readonly jitterMs: number;
  readonly split: { readonly deviceType: boolean; readonly country: boolean };
  readonly approval: 'none' | 'required';
  /** At most 20 userIds. */
  readonly testTo: readonly string[];
}

/** The bracketed defaults of campaign-events.md, "policy"; a project may override each. */
export const policyDefaults: Policy = {
  dst: { gap: 'forward', overlap: 'first' },
  night: 'consented',
  quietHours: null,
  passedZone: { kind: 'skip' },
  deadline: { months: 0, days: 1, ms: 0 },
  lateness: { maxMs: 30 * 60_000, beyond: 'expire' },
  handoff: 'reserve',
  pace: null,
  jitterMs: 0,
  split: { deviceType: false, country: false },
  approval: 'none',
  testTo: [],
};
