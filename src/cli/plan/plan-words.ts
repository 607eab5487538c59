// Puts the decisions about a cell into words: each one that moved it or left it out. Explains the short words of the table. Pure.
import { DAY_MS, formatTime, HOUR_MS, MINUTE_MS } from '../../zone-rules/civil.js';
import type { Mode, ModeRule } from '../../scheduler/decide/timing/send-mode.js';
import {
  leaves,
  type Plan,
  type PlannedCell,
  type ZoneSource,
} from '../../scheduler/decide/plan/plan-types.js';
import { NIGHT_WINDOW } from '../../scheduler/decide/timing/daily-window.js';
import { counted, utc } from '../shell/text-layout.js';

/** The reasons of the decisions, in the order in which they were made. */
export function reasonsOf(cell: PlannedCell, policy: Plan['policy']): string[] {
  const asked = cell.askedLocal?.replace('T', ' ') ?? 'the time';
  const onItsDay = cell.dstLocal?.replace('T', ' ') ?? asked;
  const dst = {
    exact: undefined,
    'moved-forward': `${onItsDay} does not exist there: moved past the gap`,
    first: `${onItsDay} comes twice there: the first`,
    second: `${onItsDay} comes twice there: the second`,
    skipped: `${onItsDay} does not exist there`,
    rejected: `${onItsDay} falls on a DST change`,
  }[cell.dst];
  const over = `${asked} was over there already`;
  const floor = policy.passedZone.kind === 'floor' ? policy.passedZone.zone : '';
  const passed = {
    'not-passed': undefined,
    skipped: over,
    rejected: over,
    'sent-now': `${over}: sent now`,
    'next-day': `${over}: the next day`,
    floored: `${over}: goes with ${floor} (floor)`,
  }[cell.passed.kind];
  const fallback = {
    INVALID_ZONE: 'the zone of its recipients is none of the tz database',
    ZONE_UNKNOWN: 'nobody knows the zone of its recipients',
  };
  const quietEnd = policy.quietHours?.endMinute ?? 0;
  const allowed = length(policy.lateness.maxMs);
  const reasons = [
    cell.reason === undefined ? undefined : fallback[cell.reason],
    dst,
    passed,
    windowReason('night', cell.night, NIGHT_WINDOW.endMinute),
    windowReason('quiet hours', cell.quiet, quietEnd),
    cell.jitterMs > 0 ? `jitter +${length(cell.jitterMs)}` : undefined,
    cell.paceMs > 0 ? `pace +${length(cell.paceMs)}` : undefined,
    pacedIntoNight(cell),
    cell.lastDueAt > cell.dueAt ? `the last request at ${utc(cell.lastDueAt)}` : undefined,
    cell.skipped === 'DEADLINE' ? `the deadline was ${utc(cell.deadlineAt)}` : undefined,
    cell.expired === undefined ? undefined : `late by ${length(cell.expired.lateMs)}, ${allowed} are allowed`,
    cell.late === undefined
      ? undefined
      : `late by ${length(cell.late.lateMs)}, ${allowed} are allowed: it goes all the same`,
    partlySkipped(cell),
    cell.skipped,
  ];
  return reasons.filter((reason) => reason !== undefined);
}

function partlySkipped({ runs, skipped }: PlannedCell): string | undefined {
  const left = runs.filter((run) => run.skipped !== undefined);
  if (skipped !== undefined || left.length === 0) return undefined;
  const count = left.reduce((sum, run) => sum + run.count, 0);
  const codes = [...new Set(left.map((run) => run.skipped))].join(', ');
  return `${counted(count, 'request')} skipped: ${codes}`;
}

function pacedIntoNight({ nightRequests, chunks }: PlannedCell): string | undefined {
  return nightRequests === undefined
    ? undefined
    : `the pace puts ${nightRequests} of ${counted(chunks, 'request')} into the night: to those who consented`;
}

function windowReason(name: string, verdict: PlannedCell['night'], endMinute: number): string | undefined {
  switch (verdict.kind) {
    case 'outside':
      return undefined;
    case 'consented':
      return `${name}: to those who consented`;
    case 'deferred':
      return `${name}: deferred to ${windowEnd(verdict.afterGap, formatTime(endMinute * MINUTE_MS))}`;
    case 'skipped':
      return name;
    default:
      return verdict satisfies never;
  }
}

function windowEnd(afterGap: string | undefined, end: string): string {
  return afterGap === undefined
    ? end
    : `${afterGap}, because ${end} does not exist there: the clock is set forward`;
}

function length(ms: number): string {
  if (ms < MINUTE_MS) return `${ms / 1_000} s`;
  if (ms < HOUR_MS) return `${Math.round(ms / MINUTE_MS)} min`;
  return ms < 2 * DAY_MS
    ? `${Math.round((ms / HOUR_MS) * 10) / 10} h`
    : `${Math.round((ms / DAY_MS) * 10) / 10} days`;
}

const SOURCES: Readonly<Record<ZoneSource, string>> = {
  given: 'the event says so',
  directory: 'from the zone directory',
  'registered-offset': 'the offset registered at the push service',
  country: 'the zone of the country',
  fallback: "the project's default zone, for recipients without another",
  delivery: 'the one zone that the delivery names',
  project: "the project's default zone: the delivery is on no recipient's clock",
};

const RULES: Readonly<Record<ModeRule, string>> = {
  SCHEDULE_CODE: 'attached now; the push service fires it by its schedule',
  DUE_NOW: 'sent at once',
  HELD_BY_POLICY: 'kept here and sent at due: handoff is hold, or the project makes no reservations',
  SUB_MINUTE: 'kept here and sent at due: reservations have no seconds',
  TOO_CLOSE_TO_RESERVE: 'kept here and sent at due: too near for a reservation',
  BEYOND_HORIZON: 'reserved once it is near enough for the push service to hold',
  RESERVABLE: 'given to the push service now, which sends it at due',
};

/** Explains each word that the table uses, on one line. */
export function legend(cells: readonly PlannedCell[]): string[] {
  const sources = new Map<ZoneSource, string>();
  const modes = new Map<`${Mode} ${ModeRule}`, string>();
  for (const cell of cells) {
    sources.set(cell.zoneSource, SOURCES[cell.zoneSource]);
    if (leaves(cell)) modes.set(`${cell.mode} ${cell.rule}`, RULES[cell.rule]);
  }
  return [...sources, ...modes].map(([word, means]) => `${word}: ${means}`);
}
