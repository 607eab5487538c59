// Wires look-ups of registered offsets (role plan) to their loop.
import { Module } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import { Loops } from '../../platform/loops.js';
import { CLOCK, LOG } from '../../platform/tokens.js';
import { USER_API, type UserApi } from '../decide/push-api.js';
import { ProjectCalls } from '../push-client/project-calls.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import { PROJECTS, type ProjectStore } from '../store/project.store.js';
import { LookUpDue } from './look-up-due.js';

@Module({
  providers: [
    {
      provide: LookUpDue,
      inject: [SCHEDULER_CONFIG, Database, USER_API, ProjectCalls, PROJECTS, CLOCK, LOG, Loops],
      useFactory: lookUpDueFrom,
    },
  ],
})
export class AudienceModule {}

function lookUpDueFrom(
  { roles, loopIdleMs, offsetCacheMs }: SchedulerConfig,
  database: Database,
  userApi: UserApi,
  calls: ProjectCalls,
  projects: ProjectStore,
  clock: Clock,
  log: Log,
  loops: Loops,
): LookUpDue {
  const lookUp = new LookUpDue({ database, userApi, calls, projects, clock, log, offsetCacheMs });
  if (roles.has('plan')) {
    loops.add({ name: 'lookup', idleMs: loopIdleMs, runOnce: (signal) => lookUp.runOnce(signal) });
  }
  return lookUp;
}
