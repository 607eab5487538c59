// The scheduler as a whole: what all stages are given, and the stages. Which of them work in this process is decided
// by CARILLON_ROLES in each stage's own module; the HTTP routes are the same everywhere.
import { Module, type DynamicModule } from '@nestjs/common';
import { AcceptModule } from './accept/accept.module.js';
import { AdminModule } from './admin/admin.module.js';
import { AudienceModule } from './audience/audience.module.js';
import { CoreModule, type CoreParts } from './core.module.js';
import { DispatchModule } from './dispatch/dispatch.module.js';
import { FollowModule } from './follow/follow.module.js';
import { OperateModule } from './operate/operate.module.js';
import { PlanModule } from './plan/plan.module.js';
import { PushClientModule } from './push-client/push-client.module.js';
import { PublishModule } from './publish/publish.module.js';
import { ReportModule } from './report/report.module.js';
import { StagePortsModule } from './stage-ports.module.js';

@Module({})
export class SchedulerModule {
  static with(parts: CoreParts): DynamicModule {
    return {
      module: SchedulerModule,
      imports: [
        CoreModule.with(parts),
        StagePortsModule,
        PushClientModule,
        AcceptModule,
        AudienceModule,
        PlanModule,
        DispatchModule,
        FollowModule,
        OperateModule,
        PublishModule,
        ReportModule,
        AdminModule,
      ],
    };
  }
}
