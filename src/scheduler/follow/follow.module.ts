// Wires the follow stage: one follower for reservations and results, one for cancels, so that a campaign's cancel never
// waits behind its results.
import { Module, type BeforeApplicationShutdown } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import { Loops } from '../../platform/loops.js';
import { CLOCK, LOG } from '../../platform/tokens.js';
import { PUSH_API, type PushApi } from '../decide/push-api.js';
import { ProjectCalls } from '../push-client/project-calls.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import type { LookWork } from '../store/look.store.js';
import { PROJECTS, type ProjectStore } from '../store/project.store.js';
import { SharedWire } from '../push-client/shared-wire.js';
import { AskUncertain } from './ask-uncertain.js';
import { FollowDue, LONGEST_TURN_MS } from './follow-due.js';
import { LearnedGaps } from './learned-gaps.js';

class Followers implements BeforeApplicationShutdown {
  constructor(
    private readonly all: readonly FollowDue[],
    private readonly uncertain?: AskUncertain,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    this.uncertain?.stop();
    await Promise.all(this.all.map((follower) => follower.stop()));
  }
}

const LOOPS: readonly { name: string; works: readonly LookWork[] }[] = [
  { name: 'follow', works: ['p'] },
  { name: 'cancel', works: ['c'] },
];

/** Nobody waits for these: their operators have been told. */
const UNCERTAIN_IDLE_MS = 30_000;

/** A look may take two calls, and waits for the rate before each. */
function leaseMsOf({ push }: SchedulerConfig): number {
  return 2 * (push.connectTimeoutMs + push.timeoutMs + LONGEST_TURN_MS) + 5_000;
}

@Module({
  providers: [
    {
      provide: Followers,
      inject: [Database, PUSH_API, ProjectCalls, PROJECTS, SharedWire, CLOCK, LOG, Loops, SCHEDULER_CONFIG],
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
  clock: Clock,
  log: Log,
  loops: Loops,
  config: SchedulerConfig,
): Followers {
  if (!config.roles.has('follow')) return new Followers([]);
  const gaps = new LearnedGaps();
  const all = LOOPS.map(({ name, works }) => {
    const follower = new FollowDue({
      sql,
      pushApi,
      calls,
      projects,
      wire,
      gaps,
      clock,
      log,
      by: name,
      works,
      batch: config.claim.batch,
      // An operator's cancel waits for no result.
      yields: name !== 'cancel',
      leaseMs: leaseMsOf(config),
      windowMs: config.followWindowMs,
      wake: () => loops.wake(name),
    });
    // It wakes its loop itself for what else is due; a round of its own after each claim would claim by ones and twos.
    const runOnce = (): Promise<number> => follower.runOnce().then(() => 0);
    loops.add({ name, runOnce, idleMs: config.loopIdleMs });
    return follower;
  });
  const uncertain = new AskUncertain({ sql, pushApi, calls, projects, clock, leaseMs: leaseMsOf(config) });
  loops.add({ name: 'uncertain', runOnce: () => uncertain.runOnce(), idleMs: UNCERTAIN_IDLE_MS });
  return new Followers(all, uncertain);
}
