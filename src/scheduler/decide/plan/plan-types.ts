// The input and the output of planning (planning.md §1, §9): types and closed lists. The planner, the dry run, the command line, the
// forecast and re-planning all use them.
import type { MessageTarget } from '../../../push-contract/messages.js';
import type { Load } from '../forecast/send-queue.js';
import type { Campaign } from './campaign.js';
import type { LocalReading, LocalVerdict } from '../timing/local-time.js';
import type { ChosenMode, ReservationLimits } from '../timing/send-mode.js';
import type { Policy } from '../timing/campaign-policy.js';
import type { EpochMs, ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import type { ZoneRules } from '../../../zone-rules/zone-rules.js';
import type { GatewayName } from '../audience/gateway-names.js';
import type { WARNING_CODES } from './warning-codes.js';

/**
 * How a cell's zone is known (planning.md §2), best first: `given` by the publisher; the `directory`; a `registered-offset`
 * of the push service; the `country`; the `fallback`. Without the recipient's clock: the `delivery` names the zone, or
 * nothing does and the `project`'s default zone is shown.
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

/** Why a planned cell or chunk is not sent. */
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
  /** The extensions that the gateway's `x-carillon-extensions` names. */
  readonly extensions: readonly string[];
  /** Requests a second that we may make. */
  readonly ratePerSecond: number;
}

/** The zone of a userId and its source. `zone` may not be a zone at all: it then counts as INVALID_ZONE. */
export type KnownZone =
  | { readonly source: 'given' | 'directory'; readonly zone: string }
  | { readonly source: 'registered-offset'; readonly offsetSeconds: number };

/** Recipients of an uploaded list who share a zone; counted by SQL, never held as ids. */
export interface ListGroup {
  /** Undefined: their zone is unknown. */
  readonly known: KnownZone | undefined;
  readonly recipients: number;
  /** Under which their ids lie in the database; no decision depends on it. */
  readonly key?: readonly [source: string, zone: string];
  /** Over their ids in any order, as a number in decimal; left out where the version of the list says who they are. */
  readonly digest?: string;
}

/** Recipients by the cells that hold them; cells of a place that differ only by device type or country have the same. */
export interface PlacedRecipients {
  readonly zone: string;
  readonly zoneSource: ZoneSource;
  readonly segment: number;
  readonly recipients: number;
}

export interface AudienceFacts {
  /** The zone of one USER id: the directory first, else the registered offset. */
  zoneOf(userId: string): KnownZone | undefined;
  /** The uploaded lists that the campaign names, by name, as they are when it is planned. */
  readonly lists?: Readonly<
    Record<string, { readonly version: string; readonly groups: readonly ListGroup[] }>
  >;
  /** A revision that leaves its recipients where they are: where these are, and how many. Nothing else says who there is then. */
  readonly placed?: readonly PlacedRecipients[] | undefined;
  /** How many different zones and registered offsets zoneOf() may return. */
  readonly offsetsKnown?: number;
  /** Registered offsets in use (`GET timezones`), where the push service has `target-timezone`. */
  readonly offsets?: readonly { readonly offsetSeconds: number; readonly users: number }[] | undefined;
  /** How many ids nobody looked up: the plan puts them into the fallback, and counts them. */
  readonly provisional?: number;
  /** How many ids planning would still look up: 0 where this plan is the one that runs. */
  readonly lookUps?: number;
  /** Registered offsets would count but are not known: countries and the fallback replace them. */
  readonly censusMissing?: boolean;
  /** How many ids the push service said it does not know. */
  readonly unknownUsers?: number;
  /** Names in the campaign that its gateway said it does not know. */
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
  /** Recurrences only: the last occurrence id that was planned; undefined plans the first. */
  readonly after?: string | undefined;
  /** Recurrences only: the instant of the preview; it is planned as far ahead as it was then. Undefined: as at `now`. */
  readonly lookedAt?: EpochMs | undefined;
  /** Recurrences only: how far ahead occurrences are planned, in a rolling window [PLAN_AHEAD_MS]. The first plan shows more. */
  readonly aheadMs?: number | undefined;
  /** Recurrences only: the most occurrences to plan. */
  readonly atMost?: number | undefined;
  /** The most cells of all occurrences that are planned at once [MAX_PLANNED_CELLS]. */
  readonly mostCells?: number | undefined;
  /** Recurrences only: when its newest pause ended. Occurrences that were over by then are skipped as PAUSED. */
  readonly resumedAt?: EpochMs | undefined;
  /** Occurrences cancelled before they were planned: nothing is planned for them. */
  readonly leftOut?: ReadonlySet<string> | undefined;
  /** Paced campaigns only: how many requests earlier plans put on each minute, by the minute's first instant. */
  readonly taken?: ReadonlyMap<EpochMs, number> | undefined;
  /** What else the project is to hand off; given only for the warnings of a preview and of publishing. */
  readonly queue?: readonly Load[] | undefined;
  /** The event was taken: acceptance judged its time, and a campaign that became late since then follows its lateness. */
  readonly isTaken?: boolean;
  /** Also plan the `testTo` send: once for each revision that changes the message. */
  readonly withTest?: boolean;
}

/** A cell before any time is decided; `key` is stable over re-plans (planning.md §1). */
export interface CellBase {
  readonly key: string;
  readonly zone: string;
  readonly zoneSource: ZoneSource;
  /** The number of the event's segment, from 1; 0 for none. */
  readonly segment: number;
  readonly deviceType: 'all' | 'GCM' | 'APNS';
  readonly country: string;
  /** Why a fallback cell is one. */
  readonly reason?: 'INVALID_ZONE' | 'ZONE_UNKNOWN' | undefined;
  /** The target of its requests; without `to` for USER, whose ids are in the chunks. */
  readonly target: MessageTarget;
  /** For USER, the number of ids; for a registered offset, the number of users that the push service counts there. */
  readonly recipients?: number | undefined;
}

export type PassedVerdict =
  | { readonly kind: 'not-passed' }
  | { readonly kind: 'skipped' | 'rejected' }
  | { readonly kind: 'sent-now' | 'next-day' | 'floored'; readonly to: EpochMs };

export type WindowVerdict =
  | { readonly kind: 'outside' }
  | { readonly kind: 'consented' | 'skipped' }
  | {
      readonly kind: 'deferred';
      readonly to: EpochMs;
      /** The wall time of `to`, where the window's end lies in a DST gap. */
      readonly afterGap?: string;
    };

/** Chunks `first` … `first + count − 1` of a cell, evenly spaced. A cell is one run unless its campaign is paced. */
export interface ChunkRun {
  readonly first: number;
  readonly count: number;
  /** The due of the first chunk; chunk n of the run is due `floor(n / perStep) × stepMs` later. */
  readonly dueAt: EpochMs;
  readonly stepMs: number;
  readonly perStep: number;
  readonly skipped?: SkipCode | undefined;
  /** Its dues are counted from the instant of planning, not from an instant that was decided. */
  readonly fromNow?: true | undefined;
}

/** A cell of one occurrence with its time, before any pace. */
export interface TimedCell {
  readonly base: CellBase;
  readonly table: ZoneOffsets;
  /** The wall time asked for; null for now and schedule codes. */
  readonly askedLocal: string | null;
  readonly intendedAt: EpochMs;
  /** When the first request is due; for a standing message, when it is attached. */
  readonly dueAt: EpochMs;
  readonly deadlineAt: EpochMs;
  /** The verdict on the wall time asked for; where a passed zone goes the next day, the verdict on that day's wall time. */
  readonly dst: LocalVerdict;
  /** The wall time of that next day. */
  readonly dstLocal?: string | undefined;
  readonly passed: PassedVerdict;
  readonly night: WindowVerdict;
  readonly quiet: WindowVerdict;
  /** How far jitter moved it. */
  readonly jitterMs: number;
  /** Why nothing leaves: the sends are born `skipped`. */
  readonly skipped?: SkipCode | undefined;
  /** It is later than lateness.max allows: the sends are born `expired`. */
  readonly expired?: { readonly lateMs: number } | undefined;
  /** It is later than lateness.max allows, and `lateness.then` is `send`: it goes all the same. */
  readonly late?: { readonly lateMs: number } | undefined;
  /** The `reject` policy that applied, if one did: it ends more than this cell. */
  readonly rejectedBy?: 'dst.gap' | 'dst.overlap' | 'passedZone' | undefined;
}

/** Whether anything of the cell is sent. */
export function leaves({ skipped, expired }: Pick<TimedCell, 'skipped' | 'expired'>): boolean {
  return skipped === undefined && expired === undefined;
}

export interface PlannedCell extends CellBase, ChosenMode, Omit<TimedCell, 'base' | 'table' | 'rejectedBy'> {
  /** What the zone's clock shows at dueAt. */
  readonly localReading: LocalReading;
  readonly lastDueAt: EpochMs;
  /** How far the pace moved the first request. */
  readonly paceMs: number;
  /** Paced cells whose night goes to those who consented: how many requests fall into it. */
  readonly nightRequests?: number | undefined;
  /** How many requests. */
  readonly chunks: number;
  readonly runs: readonly ChunkRun[];
}

export interface PlannedOccurrence {
  /** `once`, `test-<revision>`, or the rule's local date-time. */
  readonly occurrence: string;
  readonly cells: readonly PlannedCell[];
  /** Nothing of it leaves: a `reject` policy left out every cell, or it passed during a pause and has no cells. */
  readonly skipped?: SkipCode | 'PAUSED' | undefined;
}

export interface PlanProblem {
  readonly code: string;
  readonly text: string;
  /** JSON pointer into `data`; empty for the whole of it. */
  readonly pointer: string;
}

export interface PlanWarning extends PlanProblem {
  readonly code: (typeof WARNING_CODES)[number];
}

export interface MinuteLoad {
  readonly minute: EpochMs;
  readonly requests: number;
  /** Requests that the project's rate delays beyond this minute. */
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
  /** The `testTo` send; no total counts it. */
  readonly test?: PlannedOccurrence | undefined;
  /** The policy by which the cells were decided, with every default filled in. */
  readonly policy: Policy;
  readonly warnings: readonly PlanWarning[];
  /** Why the campaign (or revision) cannot be planned at all; it then has no occurrences. */
  readonly refusal?: PlanProblem | undefined;
  readonly totals: PlanTotals;
  readonly load: readonly MinuteLoad[];
  /** Recurrences only: when to plan again, `after` the last occurrence; undefined where nothing follows. */
  readonly nextLookAt?: EpochMs | undefined;
  readonly tzdata: { readonly source: string; readonly version: string };
}
