// What would keep the campaigns of a project within their bounds, with the numbers (forecast.md, "Ways out"): a higher rate of the
// project, a pace of the campaign, or a jitter over its zones. Pure.
import { MINUTE_MS } from '../../../zone-rules/civil.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { LoadGroup } from './load-group.js';
import { groupBy } from './group-by.js';
import { lastDepartures } from './send-queue.js';

/** As project_rate_per_second_check has it. */
const HIGHEST_RATE = 100_000;

export interface WaysOut {
  /** The least rate of the project at which none of its campaigns misses a bound; null: none would help. */
  readonly ratePerSecond: number | null;
  /** The most requests a minute that fit beside the project's other load; null: it would not end before the deadline. */
  readonly pace: { readonly perMinute: number; readonly minutes: number } | null;
  /** Over how many minutes its zones would have to be spread; null: they do not fall on one instant, or it would not help. */
  readonly jitterMinutes: number | null;
}

interface Given {
  readonly ratePerSecond: number;
  readonly now: EpochMs;
}

/** `groups`: all of one project. */
export function waysOut(groups: readonly LoadGroup[], given: Given): (campaign: string) => WaysOut {
  const ratePerSecond = leastRate(groups, given);
  const perMinute = minutesOf(groups, given.now);
  const ofCampaign = groupBy(groups, ({ campaign }) => campaign);
  return (campaign) => {
    const own = ofCampaign.get(campaign) ?? [];
    const pace = paceOf(own, perMinute, given);
    return { ratePerSecond, pace, jitterMinutes: jitterOf(own, pace) };
  };
}

/** Departures only come earlier as the rate grows, so halving finds the least. */
function leastRate(groups: readonly LoadGroup[], { ratePerSecond, now }: Given): number | null {
  const suffices = (rate: number): boolean => {
    const leaves = lastDepartures(groups, rate, now);
    return groups.every(({ dueAt, maxLateMs, deadlineAt }, index) => {
      const at = Math.ceil(leaves[index] ?? now);
      return at - dueAt <= maxLateMs && (deadlineAt === null || at <= deadlineAt);
    });
  };
  if (!suffices(HIGHEST_RATE)) return null;
  let [tooLow, enough] = [ratePerSecond, HIGHEST_RATE];
  while (enough - tooLow > 1) {
    const middle = Math.floor((tooLow + enough) / 2);
    if (suffices(middle)) enough = middle;
    else tooLow = middle;
  }
  return enough;
}

type Minutes = ReadonlyMap<number, number>;

function minutesOf(groups: readonly LoadGroup[], now: EpochMs): Minutes {
  const minutes = new Map<number, number>();
  for (const { at, requests } of groups) {
    const minute = Math.floor(Math.max(at, now) / MINUTE_MS);
    minutes.set(minute, (minutes.get(minute) ?? 0) + requests);
  }
  return minutes;
}

/** What the rate lets through in a minute, less the most that others need in a minute of the time that the pace would take. */
function paceOf(own: readonly LoadGroup[], all: Minutes, { ratePerSecond, now }: Given): WaysOut['pace'] {
  const total = own.reduce((sum, { requests }) => sum + requests, 0);
  const first = Math.floor(
    own.reduce((least, { at }) => Math.min(least, Math.max(at, now)), Infinity) / MINUTE_MS,
  );
  const deadline = own.reduce((least, { deadlineAt }) => Math.min(least, deadlineAt ?? Infinity), Infinity);
  const ours = minutesOf(own, now);
  const capacity = Math.floor(ratePerSecond * 60);
  const others = [...all]
    .map(([minute, requests]) => ({ minute, requests: requests - (ours.get(minute) ?? 0) }))
    .filter(({ minute, requests }) => minute >= first && requests > 0)
    .sort((one, other) => one.minute - other.minute);
  let [perMinute, busiest] = [capacity, 0];
  for (const { minute, requests } of others) {
    if (minute >= first + Math.ceil(total / perMinute)) break;
    busiest = Math.max(busiest, requests);
    perMinute = capacity - busiest;
    if (perMinute < 1) return null;
  }
  const minutes = Math.ceil(total / perMinute);
  return (first + minutes) * MINUTE_MS > deadline ? null : { perMinute, minutes };
}

/** Jitter moves whole zones: it helps where several fall on one instant, and each alone leaves in time at the pace. */
function jitterOf(own: readonly LoadGroup[], pace: WaysOut['pace']): number | null {
  if (pace === null) return null;
  const instants = groupBy(own, ({ at }) => at);
  let longest = 0;
  for (const groups of instants.values()) {
    const zones = new Map<string, number>();
    for (const { zone, requests } of groups) zones.set(zone, (zones.get(zone) ?? 0) + requests);
    const sizes = [...zones.values()];
    const total = sizes.reduce((sum, size) => sum + size, 0);
    if (total <= pace.perMinute) continue;
    const patience =
      groups.reduce((least, { maxLateMs }) => Math.min(least, maxLateMs), Infinity) / MINUTE_MS;
    if (sizes.length < 2 || Math.max(...sizes) > pace.perMinute * patience) return null;
    longest = Math.max(longest, Math.ceil(total / pace.perMinute));
  }
  return longest === 0 ? null : longest;
}
