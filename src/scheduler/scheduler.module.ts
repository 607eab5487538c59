// The Nest module: controllers, and what every request passes (guard, validation, idempotent answers, error filter). The stages are
// wired already and given to it.
import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, Reflector } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { Database } from '../platform/database/database.js';
import { JoinedDatabase } from '../platform/database/request-transaction.js';
import { Health } from '../platform/http/health.js';
import { Loops } from '../platform/loops/loops.js';
import { KnownQueryInterceptor } from '../platform/http/known-query.interceptor.js';
import { ListTurnsInterceptor } from '../platform/http/list-turns.interceptor.js';
import { ProblemFilter } from '../platform/http/problem.filter.js';
import { CLOCK, ZONE_RULES } from '../platform/injection-tokens.js';
import { ValidationPipe } from '../platform/http/validation.pipe.js';
import { AcceptEvents } from './accept/accept-events.js';
import { EventLookUpController } from './accept/event-look-up.controller.js';
import { EventsController } from './accept/events.controller.js';
import { RefuseChangedPlan } from './accept/refuse-changed-plan.js';
import { WarnOfTaken } from './accept/warn-of-taken.js';
import { RejectionsController } from './accept/rejections/rejections.controller.js';
import { SettleRejection } from './accept/rejections/settle-rejection.js';
import { AuditController } from './admin/audit.controller.js';
import { AuthGuard, type RefusedBecause } from './admin/auth/auth.guard.js';
import { Budgets } from './admin/auth/budgets.js';
import { RefusedAuthentication } from '../platform/http/refused-authentication.js';
import type { CalledRequest } from './admin/auth/caller.js';
import { ChangeProject } from './admin/projects/change-project.js';
import { ChangeToken } from './admin/tokens/change-token.js';
import { CheckGateway } from './admin/projects/check-gateway.js';
import { HealthController } from './admin/health/health.controller.js';
import { Retention } from './outcomes/retention/retention.js';
import { HousekeepingTicks } from './admin/housekeeping/housekeeping-ticks.js';
import { Housekeeping } from './admin/housekeeping/housekeeping.js';
import { IdempotencyInterceptor } from './admin/idempotency.interceptor.js';
import { ProjectsController } from './admin/projects/projects.controller.js';
import { TokensController } from './admin/tokens/tokens.controller.js';
import { DocumentsController } from './documents/documents.controller.js';
import { USUAL_TOPICS } from './documents/asyncapi.js';
import { PublishedContracts } from './documents/published.js';
import { RootController } from './documents/root.controller.js';
import { ViewerController } from './documents/viewer.controller.js';
import { CancelCampaign } from './operate/cancel-campaign.js';
import { OperateCampaignsController, OperateSendsController } from './operate/operate.controller.js';
import { ResolveSend } from './operate/resolve-send.js';
import { RetrySend } from './operate/retry-send.js';
import {
  ResolvesController,
  RESOLVE_SETS,
  RetriesController,
  RETRY_SETS,
} from './operate/sets.controller.js';
import { PlansController } from './plan/plans.controller.js';
import { PreviewPlan } from './plan/preview-plan.js';
import { CampaignsController } from './report/lists/campaigns.controller.js';
import { FailuresController } from './report/lists/failures.controller.js';
import { ReportDatabase } from './report/report-database.js';
import { ReportsController } from './report/reports.controller.js';
import { SendsController } from './report/lists/sends.controller.js';
import { SummariesController } from './report/over-campaigns/summaries.controller.js';
import { SCHEDULER_CONFIG } from './scheduler.config.js';
import { ProjectStore } from './store/project.store.js';
import { TokenStore } from './store/token.store.js';
import type { SchedulerInternals } from './wire.js';

export const CONTROLLERS: readonly Type[] = [
  AuditController,
  CampaignsController,
  DocumentsController,
  EventsController,
  EventLookUpController,
  FailuresController,
  HealthController,
  OperateCampaignsController,
  OperateSendsController,
  PlansController,
  ProjectsController,
  RejectionsController,
  ReportsController,
  RetriesController,
  ResolvesController,
  SendsController,
  SummariesController,
  TokensController,
  RootController,
  ViewerController,
];

@Module({})
export class SchedulerModule {
  static with(internals: SchedulerInternals): DynamicModule {
    return {
      module: SchedulerModule,
      imports: [ScheduleModule.forRoot()],
      controllers: [...CONTROLLERS],
      providers: [...given(internals), ...forRequests(internals)],
    };
  }
}

/** The providers of controllers: by class or, for an interface, by a symbol. */
function given(internals: SchedulerInternals): Provider[] {
  const { config, api, clock, sealer, tokens, loops, intake } = internals;
  const database = new JoinedDatabase(api);
  const topics = Object.values(config.kafka?.topics ?? USUAL_TOPICS);
  const housekeeping = new Housekeeping(internals.planning, sealer, clock, config.offsetCacheMs);
  const retention = new Retention(internals.planning, clock, config.kept);
  const ticks = new HousekeepingTicks(
    loops,
    { housekeeping, retention, parked: intake.parked },
    clock,
    internals.clockCheck,
  );
  return [
    { provide: SCHEDULER_CONFIG, useValue: config },
    { provide: CLOCK, useValue: clock },
    { provide: ZONE_RULES, useValue: internals.rules },
    { provide: Database, useValue: database },
    { provide: ReportDatabase, useValue: internals.reports },
    { provide: Loops, useValue: loops },
    { provide: Health, useValue: internals.health },
    { provide: ProjectStore, useValue: internals.projects },
    { provide: TokenStore, useValue: tokens },
    { provide: AcceptEvents, useValue: intake.events },
    { provide: RefuseChangedPlan, useValue: intake.previewed },
    { provide: WarnOfTaken, useValue: intake.warner },
    { provide: SettleRejection, useValue: intake.rejections },
    { provide: PreviewPlan, useValue: internals.plans },
    { provide: CancelCampaign, useValue: internals.cancelCampaign },
    { provide: ResolveSend, useValue: internals.resolveSend },
    { provide: RetrySend, useValue: internals.retrySend },
    { provide: RETRY_SETS, useValue: internals.retries },
    { provide: RESOLVE_SETS, useValue: internals.resolves },
    {
      provide: ChangeProject,
      useValue: new ChangeProject({
        ...internals,
        ...config.push,
        database,
        topics,
        rejectionTopics: config.rejectionTopics,
      }),
    },
    { provide: ChangeToken, useValue: new ChangeToken(database, tokens, clock) },
    { provide: CheckGateway, useValue: new CheckGateway(internals.pushApi, clock, internals.calls) },
    {
      provide: PublishedContracts,
      useValue: new PublishedContracts(() => CONTROLLERS, config.kafka?.topics),
    },
    { provide: HousekeepingTicks, useValue: ticks },
    { provide: Budgets, useValue: new Budgets(config.budgets, clock, internals.metrics) },
  ];
}

function forRequests({
  config,
  tokens,
  api: database,
  clock,
  log,
  metrics: registry,
}: SchedulerInternals): Provider[] {
  const name = 'carillon_authentication_refused_total';
  const trace = new RefusedAuthentication<RefusedBecause>({ registry, name, log, clock });
  const listTurns = new ListTurnsInterceptor({
    // The guard has already found out who calls. Callers of a list that needs no token would share one owner.
    ownerOf: (request: CalledRequest) => request.caller?.owner ?? [],
    clock,
    dispatches: config.roles.has('dispatch'),
  });
  return [
    {
      provide: AuthGuard,
      inject: [Reflector, Budgets],
      useFactory: (reflector: Reflector, budgets: Budgets) =>
        new AuthGuard(reflector, tokens, trace, budgets),
    },
    { provide: APP_GUARD, useExisting: AuthGuard },
    // Before an Idempotency-Key is used up.
    { provide: APP_INTERCEPTOR, useValue: new KnownQueryInterceptor() },
    { provide: APP_INTERCEPTOR, useValue: listTurns },
    { provide: APP_PIPE, useValue: new ValidationPipe() },
    {
      provide: APP_INTERCEPTOR,
      inject: [Reflector],
      useFactory: (reflector: Reflector) => new IdempotencyInterceptor(reflector, database, clock),
    },
    { provide: APP_FILTER, useValue: new ProblemFilter(log) },
  ];
}
