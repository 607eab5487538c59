// The queue before a project's rate, as a forecast sees it (forecast.md, "How it is worked out"): load → queue → when the last request
// of each group leaves. Pure.
import type { EpochMs } from '../../../zone-rules/zone-rules.js';

/** Requests that are handed off from one instant on, and wait for nothing but the project's rate. */
export interface Load {
  readonly requests: number;
  /** When they are to be handed off: at their due, or ahead of it for reservations. */
  readonly at: EpochMs;
}

/**
 * When the last request of each group leaves, in the order given. Groups are served by their instant. Groups of one instant take
 * turns, a request each, as the dispatcher reads chunk 0 of every cell before chunk 1. Work of the past waits since `now`.
 */
export function lastDepartures(loads: readonly Load[], ratePerSecond: number, now: EpochMs): Float64Array {
  const order = loads.map((_, index) => index);
  const instantOf = (index: number): EpochMs => Math.max(now, loads[index]?.at ?? now);
  const sizeOf = (index: number): number => loads[index]?.requests ?? 0;
  order.sort((one, other) => instantOf(one) - instantOf(other) || sizeOf(one) - sizeOf(other));
  const leaves = new Float64Array(loads.length);
  const msEach = 1_000 / ratePerSecond;
  let freeAt = -Infinity;
  for (let first = 0; first < order.length;) {
    const at = instantOf(order[first] ?? 0);
    let end = first;
    while (end < order.length && instantOf(order[end] ?? 0) === at) end += 1;
    const begins = Math.max(at, freeAt);
    // By size: a group of n has left when every group has sent n, or all it has.
    let smaller = 0;
    for (let position = first; position < end; position += 1) {
      const index = order[position] ?? 0;
      const size = sizeOf(index);
      const before = smaller + size * (end - position);
      leaves[index] = begins + Math.max(0, before - 1) * msEach;
      smaller += size;
    }
    freeAt = begins + smaller * msEach;
    first = end;
  }
  return leaves;
}

/** How many requests wait at each of the instants, which are in ascending order. */
export function backlogAt(
  loads: readonly Load[],
  { ratePerSecond, now }: { readonly ratePerSecond: number; readonly now: EpochMs },
  instants: readonly EpochMs[],
): number[] {
  const arrivals = loads
    .map(({ at, requests }) => ({ at: Math.max(now, at), requests }))
    .sort((one, other) => one.at - other.at);
  let [waiting, since, next] = [0, now, 0];
  const passTo = (at: EpochMs): void => {
    waiting = Math.max(0, waiting - ((at - since) / 1_000) * ratePerSecond);
    since = at;
  };
  return instants.map((instant) => {
    for (; (arrivals[next]?.at ?? Infinity) < instant; next += 1) {
      passTo(arrivals[next]?.at ?? since);
      waiting += arrivals[next]?.requests ?? 0;
    }
    if (instant > since) passTo(instant);
    return Math.ceil(waiting);
  });
}
