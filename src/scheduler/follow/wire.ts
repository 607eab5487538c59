// The loops of the role follow: a follower for reservations and results; one for cancels, so that a campaign's cancel never waits
// for its results; one for uncertain sends; and the loop that asks for breakdowns.
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
/** Between two rounds, real milliseconds: tokens gather meanwhile, so that one statement takes many. */
const BREAKDOWN_GAP_MS = 1_000;

const FOLLOWERS: readonly Follower[] = [
  { name: 'follow', by: 'follow', work: 'p' },
  // An operator's cancel does not wait for results.
  { name: 'cancel', by: 'cancel', work: 'c', yields: false },
  // Nobody waits for these, and operators already see them: other results come first.
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
    // 0: the follower wakes its loop itself when more is due; a round directly after each read would read one or two polls.
    loops.add({ name, runOnce: () => follower.runOnce().then(() => 0), idleMs });
    return follower;
  });
}
