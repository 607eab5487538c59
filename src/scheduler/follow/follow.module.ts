// Wires the follow stage: one follower for reservations and results, one for cancels, so that a campaign's cancel never
// waits behind its results.
import { Module, type BeforeApplicationShutdown } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { Clock } from '../../platform/clock.js';
import type { Log } from '../../platform/log.js';
import { Loops } from '../../platform/loops.js';
import { CLOCK, LOG } from '../../platform/tokens.js';
import { PUSH_API, type PushApi } from '../decide/push-api.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import type { FollowedState } from '../store/look.store.js';
import { PROJECTS, type ProjectStore } from '../store/project.store.js';
import { FollowDue, LONGEST_TURN_MS } from './follow-due.js';
import { LearnedGaps } from './learned-gaps.js';

class Followers implements BeforeApplicationShutdown {
  constructor(private readonly all: readonly FollowDue[]) {}

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all(this.all.map((follower) => follower.stop()));
  }
}

const LOOPS: readonly { name: string; states: readonly FollowedState[] }[] = [
  { name: 'follow', states: ['accepted', 'reserved', 'scheduled'] },
  { name: 'cancel', states: ['canceling'] },
];

@Module({
  providers: [
    {
      provide: Followers,
      inject: [DataSource, PUSH_API, PROJECTS, CLOCK, LOG, Loops, SCHEDULER_CONFIG],
      useFactory: followersFrom,
    },
  ],
})
export class FollowModule {}

function followersFrom(
  sql: DataSource,
  pushApi: PushApi,
  projects: ProjectStore,
  clock: Clock,
  log: Log,
  loops: Loops,
  config: SchedulerConfig,
): Followers {
  if (!config.roles.has('follow')) return new Followers([]);
  const gaps = new LearnedGaps();
  const all = LOOPS.map(({ name, states }) => {
    const follower = new FollowDue({
      sql,
      pushApi,
      projects,
      gaps,
      clock,
      log,
      by: name,
      states,
      batch: config.claim.batch,
      // An operator's cancel waits for no result.
      yields: name !== 'cancel',
      // A look may take two calls, and waits for the rate before each.
      leaseMs: 2 * (config.push.connectTimeoutMs + config.push.timeoutMs + LONGEST_TURN_MS) + 5_000,
      windowMs: config.followWindowMs,
      wake: () => loops.wake(name),
    });
    loops.add({ name, runOnce: () => follower.runOnce(), idleMs: config.loopIdleMs });
    return follower;
  });
  return new Followers(all);
}
