// Wires what operators do by hand: routes of the api role, and the loops that work off retries of many sends
// and take back those of cancelled campaigns.
import { Module } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database.js';
import { Loops } from '../../platform/loops.js';
import { CLOCK, ZONE_RULES } from '../../platform/tokens.js';
import type { ZoneRules } from '../decide/ports.js';
import { PUSH_API, type PushApi } from '../decide/push-api.js';
import { ProjectCalls } from '../push-client/project-calls.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import { PROJECTS, type ProjectStore } from '../store/project.store.js';
import { askDelivered } from './ask-delivered.js';
import { CancelCampaign } from './cancel-campaign.js';
import { OperateCampaignsController, OperateSendsController } from './operate.controller.js';
import { ResolveSend } from './resolve-send.js';
import { RetriesController } from './retries.controller.js';
import { RetryMany } from './retry-many.js';
import { RetrySend } from './retry-send.js';
import { TakeBack } from './take-back.js';
import { WorkRetries } from './work-retries.js';

@Module({
  controllers: [OperateCampaignsController, OperateSendsController, RetriesController],
  providers: [
    {
      provide: CancelCampaign,
      inject: [Database, CLOCK, ZONE_RULES],
      useFactory: (database: Database, clock: Clock, rules: ZoneRules) =>
        new CancelCampaign(database, clock, rules),
    },
    {
      provide: ResolveSend,
      inject: [Database, CLOCK],
      useFactory: (database: Database, clock: Clock) => new ResolveSend(database, clock),
    },
    {
      provide: RetrySend,
      inject: [Database, PROJECTS, PUSH_API, ProjectCalls, CLOCK],
      useFactory: (
        database: Database,
        projects: ProjectStore,
        pushApi: PushApi,
        calls: ProjectCalls,
        clock: Clock,
      ) => new RetrySend({ database, projects, askDelivered: askDelivered(pushApi, calls, 'retry'), clock }),
    },
    {
      provide: WorkRetries,
      inject: [Database, PROJECTS, PUSH_API, ProjectCalls, ZONE_RULES, CLOCK, Loops, SCHEDULER_CONFIG],
      useFactory: workFrom,
    },
    {
      provide: TakeBack,
      inject: [Database, CLOCK, Loops, SCHEDULER_CONFIG],
      useFactory: takeBackFrom,
    },
    {
      provide: RetryMany,
      inject: [Database, CLOCK, WorkRetries],
      useFactory: (database: Database, clock: Clock, work: WorkRetries) =>
        new RetryMany(database, clock, work),
    },
  ],
})
export class OperateModule {}

/** Both loops are woken by what is asked for; between that they look for what a process that died has left. */
const IDLE_MS = 30_000;

function workFrom(
  database: Database,
  projects: ProjectStore,
  pushApi: PushApi,
  calls: ProjectCalls,
  rules: ZoneRules,
  clock: Clock,
  loops: Loops,
  { roles }: SchedulerConfig,
): WorkRetries {
  const work = new WorkRetries({
    database,
    projects,
    rules,
    clock,
    askDelivered: askDelivered(pushApi, calls, 'retries'),
    wakeIn: (ms) => void setTimeout(() => loops.wake('retries'), ms).unref(),
  });
  if (roles.has('dispatch')) loops.add({ name: 'retries', runOnce: () => work.runOnce(), idleMs: IDLE_MS });
  return work;
}

function takeBackFrom(database: Database, clock: Clock, loops: Loops, { roles }: SchedulerConfig): TakeBack {
  const takeBack = new TakeBack(database, clock);
  if (roles.has('follow'))
    loops.add({ name: 'take-back', runOnce: () => takeBack.runOnce(), idleMs: IDLE_MS });
  return takeBack;
}
