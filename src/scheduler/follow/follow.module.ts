// Wires the follow stage: one follower for reservations and results, one for cancels, so that a campaign's cancel never
// waits behind its results, and one for what is uncertain.
import { Module, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import { Loops } from '../../platform/loops.js';
import { CLOCK, LOG } from '../../platform/tokens.js';
import { PUSH_API, type PushApi } from '../decide/push-api.js';
import { OWN_SLICE, type Slice } from '../decide/slice.js';
import { ProjectCalls } from '../push-client/project-calls.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import { PROJECTS, type ProjectStore } from '../store/project.store.js';
import { SharedWire } from '../push-client/shared-wire.js';
import { FollowDue, type FollowParts } from './follow-due.js';
import { LearnedGaps } from './learned-gaps.js';

class Followers implements BeforeApplicationShutdown {
  constructor(private readonly all: readonly FollowDue[]) {}

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.all.map((follower) => follower.stop()));
  }
}

interface LoopParts extends Pick<FollowParts, 'by' | 'works' | 'yields' | 'room'> {
  readonly name: string;
  /** Real milliseconds. */
  readonly idleMs?: number;
}

const LOOPS: readonly LoopParts[] = [
  { name: 'follow', by: 'follow', works: ['p'] },
  // An operator's cancel waits for no result.
  { name: 'cancel', by: 'cancel', works: ['c'], yields: false },
  // Nobody waits for these, and their operators have been told: results that can still be expected go first.
  { name: 'uncertain', by: 'follow-uncertain', works: ['u'], room: 16, idleMs: 30_000 },
];

@Module({
  providers: [
    {
      provide: Followers,
      inject: [
        Database,
        PUSH_API,
        ProjectCalls,
        PROJECTS,
        SharedWire,
        OWN_SLICE,
        CLOCK,
        LOG,
        Loops,
        SCHEDULER_CONFIG,
      ],
      useFactory: followersFrom,
    },
  ],
})
export class FollowModule {}

function followersFrom(
  sql: Database,
  pushApi: PushApi,
  calls: ProjectCalls,
  projects: ProjectStore,
  wire: SharedWire,
  slice: () => Slice,
  clock: Clock,
  log: Log,
  loops: Loops,
  config: SchedulerConfig,
): Followers {
  if (!config.roles.has('follow')) return new Followers([]);
  const gaps = new LearnedGaps();
  const all = LOOPS.map(({ name, idleMs = config.loopIdleMs, ...own }) => {
    const follower = new FollowDue({
      sql,
      pushApi,
      calls,
      projects,
      wire,
      gaps,
      clock,
      log,
      batch: config.lookAhead.batch,
      windowMs: config.followWindowMs,
      slice,
      wake: () => loops.wake(name),
      told: () => loops.wake('publish'),
      ...own,
    });
    // It wakes its loop itself for what else is due; a round of its own after each read would read by ones and twos.
    const runOnce = (): Promise<number> => follower.runOnce().then(() => 0);
    loops.add({ name, runOnce, idleMs });
    return follower;
  });
  return new Followers(all);
}
