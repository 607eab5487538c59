// Projects, keys, tokens, audit, health and housekeeping: what keeps the pipeline's house, with no part in a send.
import { Module } from '@nestjs/common';
import { ScheduleModule } from '@nestjs/schedule';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database.js';
import { Loops } from '../../platform/loops.js';
import { Sealer } from '../../platform/sealed.js';
import { CLOCK, ZONE_RULES } from '../../platform/tokens.js';
import type { ZoneRules } from '../decide/ports.js';
import { PUSH_API, type PushApi } from '../decide/push-api.js';
import { ProjectCalls } from '../push-client/project-calls.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import { TokenStore } from '../store/token.store.js';
import { ApiDocumentController } from './api-document.controller.js';
import { ApiDocument } from './api-document.js';
import { AuditController } from './audit.controller.js';
import { ChangeProject } from './change-project.js';
import { CheckGateway } from './check-gateway.js';
import { ChangeToken } from './change-token.js';
import { HealthController } from './health.controller.js';
import { HousekeepingTicks } from './housekeeping-ticks.js';
import { Housekeeping } from './housekeeping.js';
import { ProjectsController } from './projects.controller.js';
import { TokensController } from './tokens.controller.js';

@Module({
  imports: [ScheduleModule.forRoot()],
  controllers: [
    ApiDocumentController,
    HealthController,
    ProjectsController,
    TokensController,
    AuditController,
  ],
  providers: [
    { provide: ApiDocument, useFactory: () => new ApiDocument() },
    {
      provide: ChangeProject,
      inject: [Database, Sealer, CLOCK, ZONE_RULES],
      useFactory: (database: Database, sealer: Sealer, clock: Clock, rules: ZoneRules) =>
        new ChangeProject({ database, sealer, clock, rules }),
    },
    {
      provide: CheckGateway,
      inject: [PUSH_API, CLOCK, ProjectCalls],
      useFactory: (pushApi: PushApi, clock: Clock, calls: ProjectCalls) =>
        new CheckGateway(pushApi, clock, calls),
    },
    {
      provide: ChangeToken,
      inject: [Database, TokenStore, CLOCK],
      useFactory: (database: Database, tokens: TokenStore, clock: Clock) =>
        new ChangeToken(database, tokens, clock),
    },
    {
      provide: Housekeeping,
      inject: [Database, Sealer, CLOCK, SCHEDULER_CONFIG],
      useFactory: (sql: Database, sealer: Sealer, clock: Clock, { offsetCacheMs }: SchedulerConfig) =>
        new Housekeeping(sql, sealer, clock, offsetCacheMs),
    },
    {
      provide: HousekeepingTicks,
      inject: [Loops, Housekeeping],
      useFactory: (loops: Loops, housekeeping: Housekeeping) => new HousekeepingTicks(loops, housekeeping),
    },
  ],
})
export class AdminModule {}
