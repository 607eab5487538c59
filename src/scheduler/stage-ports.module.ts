// What one stage asks of another, handed over by port: stages never import each other. Accept reads drafts for the dry
// run; plan says whether a campaign would still be planned as it was previewed.
import { Global, Module } from '@nestjs/common';
import type { Clock } from '../platform/clock.js';
import { Database } from '../platform/database.js';
import { CLOCK, ZONE_RULES } from '../platform/tokens.js';
import { AcceptedDrafts } from './accept/draft-reader.js';
import { DRAFT_READER, PLAN_CHECKER, type DraftReader } from './decide/campaign-draft.js';
import type { ZoneRules } from './decide/ports.js';
import { PreviewPlan } from './plan/preview-plan.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from './scheduler.config.js';
import { PROJECTS, type ProjectStore } from './store/project.store.js';

@Global()
@Module({
  providers: [
    {
      provide: DRAFT_READER,
      inject: [ZONE_RULES, PROJECTS],
      useFactory: (rules: ZoneRules, projects: ProjectStore) => new AcceptedDrafts(rules, projects),
    },
    {
      provide: PreviewPlan,
      inject: [Database, CLOCK, ZONE_RULES, DRAFT_READER, PROJECTS, SCHEDULER_CONFIG],
      useFactory: (
        database: Database,
        clock: Clock,
        rules: ZoneRules,
        drafts: DraftReader,
        projects: ProjectStore,
        { offsetCacheMs }: SchedulerConfig,
      ) => new PreviewPlan({ database, clock, rules, drafts, projects, offsetCacheMs }),
    },
    { provide: PLAN_CHECKER, useExisting: PreviewPlan },
  ],
  exports: [DRAFT_READER, PreviewPlan, PLAN_CHECKER],
})
export class StagePortsModule {}
