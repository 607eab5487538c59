// Foretells planned load (forecast.md): when it leaves, what leaves too late, and which change would help. Pure: its groups
// come from the database and from a previewed plan.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import { groupBy } from './group-by.js';
import type { LoadGroup } from './load-group.js';
import { lastDepartures } from './send-queue.js';
import { waysOut, type WaysOut } from './ways-out.js';

export interface ForecastProject {
  readonly serviceId: string;
  readonly ratePerSecond: number;
}

export interface Miss {
  /** By how much the last of them is beyond the bound, milliseconds. */
  readonly byMs: number;
  readonly requests: number;
}

export interface LateCampaign {
  readonly serviceId: string;
  readonly campaign: string;
  readonly occurrence: string;
  readonly dueAt: EpochMs;
  /** When its last request leaves. */
  readonly lastLeavesAt: EpochMs;
  readonly lateMs: number;
  readonly maxLateMs: number;
  readonly beyond: 'expire' | 'send';
  readonly requests: number;
  readonly missesLateness: Miss | null;
  readonly missesDeadline: Miss | null;
  readonly waysOut: WaysOut;
}

export interface GroupForecast {
  readonly group: LoadGroup;
  readonly leavesAt: EpochMs;
  readonly lateMs: number;
}

export interface Forecast {
  readonly groups: readonly GroupForecast[];
  /** Those that miss a bound, the worst first. */
  readonly late: readonly LateCampaign[];
}

/** Every group of the projects, in no order. */
export function forecast(
  projects: readonly ForecastProject[],
  groups: readonly LoadGroup[],
  now: EpochMs,
): Forecast {
  const byService = groupBy(groups, ({ serviceId }) => serviceId);
  const forecasts = projects.flatMap(({ serviceId, ratePerSecond }) => {
    const own = byService.get(serviceId) ?? [];
    return own.length === 0 ? [] : [{ ratePerSecond, found: groupForecasts(own, ratePerSecond, now) }];
  });
  const late = forecasts.flatMap(({ ratePerSecond, found }) => lateCampaigns(found, ratePerSecond, now));
  return {
    groups: forecasts.flatMap(({ found }) => found),
    late: late.sort((one, other) => worst(other) - worst(one)),
  };
}

function groupForecasts(groups: readonly LoadGroup[], ratePerSecond: number, now: EpochMs): GroupForecast[] {
  const leaves = lastDepartures(groups, ratePerSecond, now);
  return groups.map((group, index) => {
    const leavesAt = Math.ceil(leaves[index] ?? now);
    return { group, leavesAt, lateMs: Math.max(0, leavesAt - group.dueAt) };
  });
}

/** Whether the last of its requests is later than the bounds of its campaign allow. */
export function missesOf({ group, leavesAt, lateMs }: GroupForecast): { lateness: number; deadline: number } {
  return {
    lateness: Math.max(0, lateMs - group.maxLateMs),
    deadline: group.deadlineAt === null ? 0 : Math.max(0, leavesAt - group.deadlineAt),
  };
}

function lateCampaigns(found: readonly GroupForecast[], ratePerSecond: number, now: EpochMs): LateCampaign[] {
  const groups = found.map(({ group }) => group);
  const missing = found.filter((one) => {
    const { lateness, deadline } = missesOf(one);
    return lateness > 0 || deadline > 0;
  });
  if (missing.length === 0) return [];
  const ways = waysOut(groups, { ratePerSecond, now });
  const occurrences = groupBy(found, ({ group }) => `${group.campaign} ${group.occurrence}`);
  const names = new Set(missing.map(({ group }) => `${group.campaign} ${group.occurrence}`));
  return [...names].map((name) => lateCampaign(occurrences.get(name) ?? [], ways));
}

function lateCampaign(found: readonly GroupForecast[], ways: (campaign: string) => WaysOut): LateCampaign {
  const [first] = found;
  if (first === undefined) throw new RangeError('a campaign without requests is not late');
  const { serviceId, campaign, occurrence, maxLateMs, beyond } = first.group;
  return {
    serviceId,
    campaign,
    occurrence,
    dueAt: found.reduce((least, { group }) => Math.min(least, group.dueAt), Infinity),
    lastLeavesAt: found.reduce((most, { leavesAt }) => Math.max(most, leavesAt), -Infinity),
    lateMs: found.reduce((most, { lateMs }) => Math.max(most, lateMs), 0),
    maxLateMs,
    beyond,
    requests: found.reduce((sum, { group }) => sum + group.requests, 0),
    missesLateness: missOf(found, 'lateness'),
    missesDeadline: missOf(found, 'deadline'),
    waysOut: ways(campaign),
  };
}

/** The requests of groups whose last one misses the bound: at most so many. */
function missOf(found: readonly GroupForecast[], bound: 'lateness' | 'deadline'): Miss | null {
  const missing = found.filter((one) => missesOf(one)[bound] > 0);
  if (missing.length === 0) return null;
  return {
    byMs: missing.reduce((most, one) => Math.max(most, missesOf(one)[bound]), 0),
    requests: missing.reduce((sum, { group }) => sum + group.requests, 0),
  };
}

function worst({ missesLateness, missesDeadline }: LateCampaign): number {
  return Math.max(missesLateness?.byMs ?? 0, missesDeadline?.byMs ?? 0);
}
