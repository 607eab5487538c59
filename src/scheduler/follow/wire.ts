// The followers (role follow): one for reservations and results, one for cancels, so that a campaign's cancel never waits
// behind its results, and one for what is uncertain.
import type { Core } from '../core.js';
import type { PushApi } from '../push-client/push-api.js';
import type { Slice } from '../decide/lifecycle/slice.js';
import type { PushClient } from '../push-client/wire.js';
import { AskBreakdowns } from './ask-breakdowns.js';
import { FollowDue, type FollowParts } from './follow-due.js';
import { LearnedGaps } from './learned-gaps.js';

interface Follower extends Pick<FollowParts, 'by' | 'works' | 'yields' | 'room'> {
  readonly name: string;
  /** Real milliseconds. */
  readonly idleMs?: number;
}

/** Nobody waits for these, and the roller wakes it where it is in the same process; real milliseconds. */
const BREAKDOWN_IDLE_MS = 10_000;
/** Between two rounds: meanwhile tokens gather, so that a statement brings many. */
const BREAKDOWN_GAP_MS = 1_000;

const FOLLOWERS: readonly Follower[] = [
  { name: 'follow', by: 'follow', works: ['p'] },
  // An operator's cancel waits for no result.
  { name: 'cancel', by: 'cancel', works: ['c'], yields: false },
  // Nobody waits for these, and their operators have been told: results that can still be expected go first.
  { name: 'uncertain', by: 'follow-uncertain', works: ['u'], room: 16, idleMs: 30_000 },
];

export interface FollowOthers extends PushClient {
  readonly pushApi: PushApi;
  readonly slice: () => Slice;
}

export function wireFollow(core: Core, { calls, wire, pushApi, slice }: FollowOthers): readonly FollowDue[] {
  const { config, database: sql, projects, clock, log, tracing, loops, days } = core;
  if (!config.roles.has('follow')) return [];
  const parts = {
    sql,
    days,
    pushApi,
    calls,
    projects,
    wire,
    slice,
    gaps: new LearnedGaps(),
    clock,
    log,
    tracing,
  };
  const limits = { batch: config.lookAhead.batch, windowMs: config.followWindowMs };
  const told = (): void => loops.wake('publish');
  const breakdowns = new AskBreakdowns({ sql, pushApi, calls, projects, wire, clock });
  loops.add({
    name: 'breakdown',
    idleMs: BREAKDOWN_IDLE_MS,
    gapMs: BREAKDOWN_GAP_MS,
    runOnce: (signal) => breakdowns.runOnce(signal),
  });
  return FOLLOWERS.map(({ name, idleMs = config.loopIdleMs, ...own }) => {
    const follower = new FollowDue({ ...parts, ...limits, ...own, wake: () => loops.wake(name), told });
    // It wakes its loop itself for what else is due; a round of its own after each read would read by ones and twos.
    loops.add({ name, runOnce: () => follower.runOnce().then(() => 0), idleMs });
    return follower;
  });
}
