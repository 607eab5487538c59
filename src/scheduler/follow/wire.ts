// The followers (role follow): one for reservations and results, one for cancels, so that a campaign's cancel never waits
// behind its results, and one for uncertain sends. And the loop that asks for breakdowns.
import type { Core } from '../core.js';
import type { PushApi } from '../push-client/push-api.js';
import type { Slice } from '../decide/lifecycle/replica-slice.js';
import type { PushClient } from '../push-client/wire.js';
import { AskBreakdowns } from './ask-breakdowns.js';
import { FollowDue, type FollowDeps } from './follow-due.js';
import { LearnedGaps } from './learned-gaps.js';

interface Follower extends Pick<FollowDeps, 'by' | 'work' | 'yields' | 'room'> {
  readonly name: string;
  /** Real milliseconds. */
  readonly idleMs?: number;
}

/** Nobody waits for breakdowns, and the loop `rollup` of the same process wakes this one; real milliseconds. */
const BREAKDOWN_IDLE_MS = 10_000;
/** Between two rounds, real milliseconds: meanwhile tokens gather, so that a statement brings many. */
const BREAKDOWN_GAP_MS = 1_000;

const FOLLOWERS: readonly Follower[] = [
  { name: 'follow', by: 'follow', work: 'p' },
  // An operator's cancel waits for no result.
  { name: 'cancel', by: 'cancel', work: 'c', yields: false },
  // Nobody waits for these, and operators have been told of them: results that can still be expected go first.
  { name: 'uncertain', by: 'follow-uncertain', work: 'u', room: 16, idleMs: 30_000 },
];

interface FollowOthers extends PushClient {
  readonly pushApi: PushApi;
  readonly slice: () => Slice;
}

export function wireFollow(core: Core, others: FollowOthers): readonly FollowDue[] {
  const { config, database: sql, loops } = core;
  if (!config.roles.has('follow')) return [];
  const deps = {
    ...core,
    ...others,
    sql,
    gaps: new LearnedGaps(),
    batch: config.lookAhead.batch,
    windowMs: config.followWindowMs,
    onWritten: () => loops.wake('publish'),
  };
  const breakdowns = new AskBreakdowns(deps);
  loops.add({
    name: 'breakdown',
    idleMs: BREAKDOWN_IDLE_MS,
    gapMs: BREAKDOWN_GAP_MS,
    runOnce: (signal) => breakdowns.runOnce(signal),
  });
  return FOLLOWERS.map(({ name, idleMs = config.loopIdleMs, ...settings }) => {
    const follower = new FollowDue({ ...deps, ...settings, wake: () => loops.wake(name) });
    // 0: the follower wakes its loop itself for what else is due; a round right after each read would read by ones and twos.
    loops.add({ name, runOnce: () => follower.runOnce().then(() => 0), idleMs });
    return follower;
  });
}
