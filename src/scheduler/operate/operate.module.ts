// Wires what operators do by hand: routes of the api role, no loops.
import { Module } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database.js';
import { CLOCK, ZONE_RULES } from '../../platform/tokens.js';
import type { ZoneRules } from '../decide/ports.js';
import { PUSH_API, type PushApi } from '../decide/push-api.js';
import { PROJECTS, type ProjectStore } from '../store/project.store.js';
import { askDelivered } from './ask-delivered.js';
import { CancelCampaign } from './cancel-campaign.js';
import { OperateCampaignsController, OperateSendsController } from './operate.controller.js';
import { ResolveSend } from './resolve-send.js';
import { RetrySend } from './retry-send.js';

@Module({
  controllers: [OperateCampaignsController, OperateSendsController],
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
      inject: [Database, PROJECTS, PUSH_API, CLOCK],
      useFactory: (database: Database, projects: ProjectStore, pushApi: PushApi, clock: Clock) =>
        new RetrySend({ database, projects, askDelivered: askDelivered(pushApi), clock }),
    },
  ],
})
export class OperateModule {}
