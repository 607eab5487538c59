// The loops of the role follow: a follower for reservations and results; one for cancels, so that a campaign's cancel never waits
// for its results; one for uncertain sends; and the loop that asks for breakdowns.
import type { LoopOptions } from '../../platform/loops/loops.js';
import type { Core } from '../core.js';
import type { Slice } from '../decide/lifecycle/replica-slice.js';
import type { PushClient } from '../push-client/stage.js';
import { AskBreakdowns } from './ask-breakdowns.js';
import { FollowDue, type FollowDeps } from './follow-due.js';
import { LearnedGaps } from './learned-gaps.js';
import { followMetrics } from './metrics.js';

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

export function followStage(core: Core, { calls, pushApi }: PushClient, slice: () => Slice) {
  const { config, database: sql, loops } = core;
  const metrics = followMetrics(core);
  if (!config.roles.has('follow')) return { metrics, stop: () => Promise.resolve() };
  const deps = {
    ...core,
    calls,
    pushApi,
    slice,
    sql,
    gaps: new LearnedGaps(),
    batch: config.lookAhead.batch,
    windowMs: config.followWindowMs,
    onWritten: () => loops.wake('publish'),
  };
  const breakdowns = new AskBreakdowns(deps);
  const own: LoopOptions[] = [
    {
      name: 'breakdown',
      idleMs: BREAKDOWN_IDLE_MS,
      gapMs: BREAKDOWN_GAP_MS,
      runOnce: (signal) => breakdowns.runOnce(signal),
    },
  ];
  const followers = FOLLOWERS.map(({ name, idleMs = config.loopIdleMs, ...settings }) => {
    const follower = new FollowDue({ ...deps, ...settings, wake: () => loops.wake(name) });
    // 0: the follower wakes its loop itself when more is due; a round directly after each read would read one or two polls.
    own.push({ name, runOnce: () => follower.runOnce().then(() => 0), idleMs });
    return follower;
  });
  return {
    metrics,
    loops: own,
    /** Resolves when the answer of every call in flight is written down. */
    stop: async () => void (await Promise.all(followers.map((follower) => follower.stop()))),
  };
}
