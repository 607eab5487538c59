// Holds what devices got against what the plan said, zone by zone. Pure. The deliveries come from the push service, not from the
// scheduler's own report.
import type { EpochMs } from '../../../src/platform/clock.js';
import type { Traveller } from './travellers.js';

export interface PlannedZone {
  readonly zone: string;
  /** null: nothing leaves. */
  readonly dueAt: EpochMs | null;
}

/** Nothing left between these two; what came due meanwhile leaves at `until`, unless it is too late then. */
export interface Pause {
  readonly from: EpochMs;
  readonly until: EpochMs;
  readonly maxLateMs: number;
}

export interface Delivery {
  readonly userId: string;
  readonly at: EpochMs;
}

/** What the plan and the pause let each zone expect. */
export function expectedZones(planned: readonly PlannedZone[], pause?: Pause): PlannedZone[] {
  if (pause === undefined) return [...planned];
  return planned.map(({ zone, dueAt }) => {
    if (dueAt === null || dueAt < pause.from || dueAt >= pause.until) return { zone, dueAt };
    return { zone, dueAt: pause.until - dueAt > pause.maxLateMs ? null : pause.until };
  });
}

/**
 * Every difference, each a sentence. Each traveller of a zone gets the message exactly once, not before its instant and at most
 * `withinMs` after it; where nothing leaves, nobody gets it.
 */
export function dayDifferences(
  expected: readonly PlannedZone[],
  { deliveries, travellers }: { deliveries: readonly Delivery[]; travellers: readonly Traveller[] },
  withinMs: number,
): string[] {
  const due = new Map(expected.map(({ zone, dueAt }) => [zone, dueAt]));
  const known = new Set(travellers.map(({ userId }) => userId));
  const strangers = deliveries.filter(({ userId }) => !known.has(userId));
  return [
    ...strangers.map(({ userId }) => `${userId} got it, whom nobody named`),
    ...travellers.flatMap(({ userId, zone }) => {
      const dueAt = due.get(zone);
      if (dueAt === undefined) return [`${zone}: the plan has no such zone`];
      const got = deliveries.filter((delivery) => delivery.userId === userId);
      const [first] = got;
      if (dueAt === null) return got.length === 0 ? [] : [`${zone}: ${userId} got it, and nobody should`];
      if (first === undefined) return [`${zone}: ${userId} did not get it`];
      if (got.length > 1) return [`${zone}: ${userId} got it ${got.length} times`];
      const lateMs = first.at - dueAt;
      if (lateMs < 0) return [`${zone}: ${userId} got it ${minutes(-lateMs)} min too early`];
      return lateMs <= withinMs ? [] : [`${zone}: ${userId} got it ${minutes(lateMs)} min late`];
    }),
  ];
}

function minutes(ms: number): string {
  return (ms / 60_000).toFixed(1);
}
