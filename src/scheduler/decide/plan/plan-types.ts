// What goes into planning and what comes out of it (planning.md §1, §9). Types and closed lists only; the same shapes
// serve the consumer, the dry run, the command line, the forecast and re-planning.
import type { MessageTarget } from '../../../push-contract/messages.js';
import type { Campaign } from './campaign.js';
import type { LocalReading, LocalVerdict } from '../timing/local-time.js';
import type { ChosenMode, ReservationLimits } from '../timing/mode.js';
import type { Policy } from '../timing/policy.js';
import type { ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import type { GatewayName } from '../audience/gateway-names.js';
import type { WARNING_CODES } from './warning-codes.js';
import type { EpochMs, ZoneRules } from '../../../zone-rules/zone-rules.js';

/**
 * How a cell's zone is known (planning.md §2), best first: `given` by the publisher; the `directory`; a `registered-offset` of the
 * push service; the `country`; the `fallback`. Without the recipient's clock: `delivery` names the zone itself, or
 * nobody does and the `project`'s default zone is shown.
 */
export const ZONE_SOURCES = [
  'given',
  'directory',
  'registered-offset',
  'country',
  'fallback',
  'delivery',
  'project',
] as const;
export type ZoneSource = (typeof ZONE_SOURCES)[number];

/** Why a planned cell or chunk leaves nothing. */
export const SKIP_CODES = [
  'DST_GAP',
  'PASSED_ZONE',
  'NIGHT',
  'QUIET_HOURS',
  'DEADLINE',
  'REJECTED_BY_POLICY',
] as const;
export type SkipCode = (typeof SKIP_CODES)[number];

/** The push project as planning sees it. */
export interface PlanningProject extends ReservationLimits {
  readonly defaultZone: string;
  /** USER ids in one request. */
  readonly maxTo: number;
  /** Country → zone, for countries with several. */
  readonly principalZones: Readonly<Record<string, string>>;
  /** What `x-carillon-extensions` names. */
  readonly extensions: readonly string[];
  /** Requests a second we may make. */
  readonly ratePerSecond: number;
}

/** What a userId's zone is known from; `zone` may be no zone, it then counts as INVALID_ZONE. */
export type KnownZone =
  | { readonly source: 'given' | 'directory'; readonly zone: string }
  | { readonly source: 'registered-offset'; readonly offsetSeconds: number };

/** Recipients of an uploaded list that share one known zone; counted by SQL, never held as ids. */
export interface ListGroup {
  /** Undefined: nobody knows. */
  readonly known: KnownZone | undefined;
  readonly recipients: number;
}

export interface AudienceFacts {
  /** The zone of one USER id: the directory first, else the registered offset. */
  zoneOf(userId: string): KnownZone | undefined;
  /** The uploaded lists the campaign names, as they stood, by name. */
  readonly lists?: Readonly<
    Record<string, { readonly version: string; readonly groups: readonly ListGroup[] }>
  >;
  /** Registered offsets in use (`GET users/timezones`), where the push service has `target-timezone`. */
  readonly offsets?: readonly { readonly offsetSeconds: number; readonly users: number }[];
  /** Ids that nobody looked up (a dry run never does); the plan marks them `provisional`. */
  readonly provisional?: number;
  /** Registered offsets would count but are not known: countries and the fallback take their place. */
  readonly censusMissing?: boolean;
  /** Names of the campaign that its gateway said it does not know. */
  readonly unknownNames?: readonly GatewayName[];
}

export const noFacts: AudienceFacts = { zoneOf: () => undefined };

export interface PlanInput {
  readonly campaign: Campaign;
  readonly project: PlanningProject;
  readonly audience: AudienceFacts;
  readonly now: EpochMs;
  readonly rules: ZoneRules;
  readonly revision: number;
  /** Of a recurrence: the last occurrence id planned before; undefined plans the first. */
  readonly after?: string | undefined;
  /** Of a recurrence: it is planned as far ahead as at this instant, when it was previewed. Undefined: as at `now`. */
  readonly lookedAt?: EpochMs | undefined;
  /** Of a recurrence: no more occurrences than these. */
  readonly atMost?: number | undefined;
  /** Occurrences cancelled before they were planned: nothing is planned for them. */
  readonly leftOut?: ReadonlySet<string>;
  /** Of a paced campaign: how many requests earlier plans put on a minute, by its first instant. */
  readonly taken?: ReadonlyMap<EpochMs, number>;
  /** Plan the `testTo` send too: once for each revision that changes the message. */
  readonly withTest?: boolean;
}

/** Where recipients are, before any time is decided; `key` is stable over re-plans (planning.md §1). */
export interface CellBase {
  readonly key: string;
  readonly zone: string;
  readonly zoneSource: ZoneSource;
  /** Number of the event's segment, from 1; 0: none. */
  readonly segment: number;
  readonly deviceType: 'all' | 'GCM' | 'APNS';
  readonly country: string;
  /** Why a fallback cell is one. */
  readonly reason?: 'INVALID_ZONE' | 'ZONE_UNKNOWN';
  /** The request's target; without `to` for USER, whose ids come by chunks. */
  readonly target: MessageTarget;
  /** How many ids, for USER; for registered offsets, how many users the push service counts there. */
  readonly recipients?: number;
}

export type PassedVerdict =
  | { readonly kind: 'not-passed' }
  | { readonly kind: 'skipped' | 'rejected' }
  | { readonly kind: 'sent-now' | 'next-day' | 'floored'; readonly to: EpochMs };

export type WindowVerdict =
  | { readonly kind: 'outside' }
  | { readonly kind: 'consented' | 'skipped' }
  | { readonly kind: 'deferred'; readonly to: EpochMs };

/** Chunks `first` … `first + count − 1` of a cell, evenly apart: one run unless the campaign is paced. */
export interface ChunkRun {
  readonly first: number;
  readonly count: number;
  /** Due of the first; chunk n of the run is due `floor(n / perStep) × stepMs` later. */
  readonly dueAt: EpochMs;
  readonly stepMs: number;
  readonly perStep: number;
  readonly skipped?: SkipCode;
}

/** A cell of one occurrence with its time, before pace. */
export interface TimedCell {
  readonly base: CellBase;
  readonly table: ZoneOffsets;
  /** The wall time asked for; null for now and schedule codes. */
  readonly askedLocal: string | null;
  readonly intendedAt: EpochMs;
  /** Of the first request; a standing message has the instant it is attached at. */
  readonly dueAt: EpochMs;
  readonly deadlineAt: EpochMs;
  /** Of the wall time asked for; where a passed zone goes the next day, of that day's. */
  readonly dst: LocalVerdict;
  /** That day's wall time. */
  readonly dstLocal?: string;
  readonly passed: PassedVerdict;
  readonly night: WindowVerdict;
  readonly quiet: WindowVerdict;
  /** How far jitter moved it. */
  readonly jitterMs: number;
  /** Nothing leaves, and why: the sends are born `skipped`. */
  readonly skipped?: SkipCode;
  /** Asked for longer ago than lateness.max allows: the sends are born `expired`. */
  readonly expired?: { readonly lateMs: number };
  /** A `reject` policy spoke: which one, for it ends more than this cell. */
  readonly rejectedBy?: RejectedBy;
}

export type RejectedBy = 'dst.gap' | 'dst.overlap' | 'passedZone';

export interface PlannedCell extends CellBase, ChosenMode, Omit<TimedCell, 'base' | 'table' | 'rejectedBy'> {
  /** What the clock in the zone shows at dueAt. */
  readonly localReading: LocalReading;
  readonly lastDueAt: EpochMs;
  /** How far pace moved the first request. */
  readonly paceMs: number;
  /** How many requests. */
  readonly chunks: number;
  readonly runs: readonly ChunkRun[];
}

export interface PlannedOccurrence {
  /** `once`, `test-<revision>`, or the rule's local date-time. */
  readonly occurrence: string;
  readonly cells: readonly PlannedCell[];
  /** Every cell was left out by a `reject` policy. */
  readonly skipped?: SkipCode;
}

export interface PlanProblem {
  readonly code: string;
  readonly text: string;
  /** JSON pointer into `data`; empty for the whole. */
  readonly pointer: string;
}

export interface PlanWarning extends PlanProblem {
  readonly code: (typeof WARNING_CODES)[number];
}

export interface MinuteLoad {
  readonly minute: EpochMs;
  readonly requests: number;
  /** Requests that the project's rate pushes beyond this minute. */
  readonly backlog: number;
}

export interface PlanTotals {
  readonly cells: number;
  readonly requests: number;
  readonly skippedRequests: number;
  readonly expiredRequests: number;
  /** Known recipients; null where an audience is not made of ids. */
  readonly recipients: number | null;
  readonly duplicates: number;
  readonly fallbackRecipients: number | null;
  readonly invalidZones: Readonly<Record<string, number>>;
  readonly provisional: number;
  readonly firstDueAt: EpochMs | null;
  readonly lastDueAt: EpochMs | null;
  readonly expectedEndAt: EpochMs | null;
}

export interface Plan {
  readonly occurrences: readonly PlannedOccurrence[];
  /** The `testTo` send, outside all totals. */
  readonly test?: PlannedOccurrence;
  /** By which the cells were decided, every default filled in. */
  readonly policy: Policy;
  readonly warnings: readonly PlanWarning[];
  /** The campaign (or revision) cannot be planned at all; occurrences are then empty. */
  readonly refusal?: PlanProblem;
  readonly totals: PlanTotals;
  readonly load: readonly MinuteLoad[];
  /** Of a recurrence: plan again `after` the last occurrence before this instant; absent where nothing follows. */
  readonly nextLookAt?: EpochMs;
  readonly tzdata: { readonly source: string; readonly version: string };
}
