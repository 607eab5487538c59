// The policy of a campaign (campaign-events.md, "policy") with every default filled in. Types and defaults only; accept/
// parses the publisher's words into them.
import type { CalendarDuration } from './duration.js';

export const GAP_POLICIES = ['forward', 'skip', 'reject'] as const;
export const OVERLAP_POLICIES = ['first', 'second', 'reject'] as const;

/** The rules for a wall time that does not exist, and for one that exists twice. */
export interface DstPolicy {
  readonly gap: (typeof GAP_POLICIES)[number];
  readonly overlap: (typeof OVERLAP_POLICIES)[number];
}

export const NIGHT_POLICIES = ['consented', 'defer', 'skip'] as const;

/** A daily window on the recipient's clock: [start, end) in minutes of the day. It may cross midnight. */
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
  /** `floor:<zone>`: passed zones go when the clock of `zone` shows that wall time. */
  | { readonly kind: 'floor'; readonly zone: string };

export interface Policy {
  readonly dst: DstPolicy;
  readonly night: (typeof NIGHT_POLICIES)[number];
  readonly quietHours: QuietHours | null;
  readonly passedZone: PassedZonePolicy;
  /** Counted from intendedAt; days and months by the cell's calendar. */
  readonly deadline: CalendarDuration;
  /** `lateness.max` and `.then`: what to do with a send that is more than `maxMs` late. */
  readonly lateness: { readonly maxMs: number; readonly beyond: 'expire' | 'send' };
  readonly handoff: 'reserve' | 'hold';
  /** Requests a minute for the whole campaign, in all zones together. */
  readonly pace: { readonly perMinute: number } | null;
  /** Zones that share an instant are spread over this length of time; 0 spreads nothing. */
  readonly jitterMs: number;
  readonly split: { readonly deviceType: boolean; readonly country: boolean };
  readonly approval: 'none' | 'required';
  /** At most 20 userIds. */
  readonly testTo: readonly string[];
}

/** The defaults in brackets in campaign-events.md, "policy"; a project may override each. */
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
