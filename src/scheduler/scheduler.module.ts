// The Nest module: the controllers of the stages with their providers, and what every request passes (guard, validation, idempotent
// answers, error filter). The stages are made already and given to it.
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE, Reflector } from '@nestjs/core';
import { ScheduleModule } from '@nestjs/schedule';
import { machineNow } from '../platform/clock.js';
import { KnownQueryInterceptor } from '../platform/http/known-query.interceptor.js';
import { ListTurnsInterceptor } from '../platform/http/list-turns.interceptor.js';
import { ProblemFilter } from '../platform/http/problem.filter.js';
import { ValidationPipe } from '../platform/http/validation.pipe.js';
import { AuthGuard } from './admin/auth/auth.guard.js';
import { Budgets } from './admin/auth/budgets.js';
import type { CalledRequest } from './admin/auth/caller.js';
import { CampaignNamesInterceptor } from './campaign-names.interceptor.js';
import { IdempotencyInterceptor } from './admin/idempotency.interceptor.js';
import { CONTROLLERS, type SchedulerInternals } from './stages.js';

@Module({})
export class SchedulerModule {
  static with(internals: SchedulerInternals): DynamicModule {
    return {
      module: SchedulerModule,
      imports: [ScheduleModule.forRoot()],
      controllers: [...CONTROLLERS],
      providers: [...internals.providers, ...forRequests(internals)],
    };
  }
}

function forRequests(internals: SchedulerInternals): Provider[] {
  const { config, tokens, trace, api: database, clock, log, wall = machineNow } = internals;
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
        new AuthGuard(reflector, tokens, trace, budgets, wall),
    },
    { provide: APP_GUARD, useExisting: AuthGuard },
    // Before an Idempotency-Key is used up.
    { provide: APP_INTERCEPTOR, useValue: new KnownQueryInterceptor() },
    { provide: APP_INTERCEPTOR, useValue: listTurns },
    { provide: APP_INTERCEPTOR, useValue: new CampaignNamesInterceptor(database) },
    { provide: APP_PIPE, useValue: new ValidationPipe() },
    {
      provide: APP_INTERCEPTOR,
      inject: [Reflector],
      useFactory: (reflector: Reflector) => new IdempotencyInterceptor(reflector, database, clock),
    },
    { provide: APP_FILTER, useValue: new ProblemFilter(log) },
  ];
}
