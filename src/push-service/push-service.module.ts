// The two applications of the push service: the interface, and the management API on a port of its own. Both give their
// controllers what core.ts has made.
import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { Database } from '../platform/database/database.js';
import { Health } from '../platform/http/health.js';
import { Loops } from '../platform/loops/loops.js';
import { ProblemFilter } from '../platform/http/problem.filter.js';
import { Sealer } from '../platform/secrets/sealed.js';
import { CLOCK, ZONE_RULES } from '../platform/injection-tokens.js';
import { ValidationPipe } from '../platform/http/validation.pipe.js';
import { ChannelsController } from './channels/channels.controller.js';
import type { Core } from './core.js';
import { CredentialsController } from './credentials/credentials.controller.js';
import { CountTurns } from './gateway/count-turns.js';
import { PushErrorFilter } from './gateway/push-error.filter.js';
import { AccessKeys } from './management/access-keys.js';
import { Faults } from './management/faults.js';
import { HealthController } from './management/health.controller.js';
import { KeysController } from './management/keys.controller.js';
import { OpenApiController } from './management/openapi.controller.js';
import { ManagementGuard } from './management/management.guard.js';
import { SandboxClock } from './management/sandbox-clock.js';
import { SandboxController } from './management/sandbox.controller.js';
import { SchedulesAdminController } from './management/schedules-admin.controller.js';
import { ServicesController } from './management/services.controller.js';
import { MessagesAdminController } from './management/messages-admin.controller.js';
import { UsersAdminController } from './management/users-admin.controller.js';
import { TotalsController } from './management/totals.controller.js';
import { MessageGroups } from './messages/message-groups.js';
import { MessagesController } from './messages/messages.controller.js';
import { PUSH_SERVICE_CONFIG } from './push-service.config.js';
import { ReservationsController } from './reservations/reservations.controller.js';
import { Schedules } from './schedules/schedules.js';
import { SchedulesController } from './schedules/schedules.controller.js';
import { TimezonesController } from './users/timezones.controller.js';
import { UsersController } from './users/users.controller.js';
import { PROVIDERS } from './delivery/providers.js';
import { PushMetrics } from './metrics.js';

function shared({ database, clock, rules, loops }: Core): Provider[] {
  return [
    { provide: Database, useValue: database },
    { provide: CLOCK, useValue: clock },
    { provide: ZONE_RULES, useValue: rules },
    { provide: Loops, useValue: loops },
    { provide: Schedules, useValue: new Schedules(database, clock, rules, loops) },
  ];
}

/** push-interface.md §4: every operation of the interface. */
@Module({})
export class PushServiceModule {
  static with(core: Core): DynamicModule {
    const { config, database, clock, rules, log, counted } = core;
    return {
      module: PushServiceModule,
      controllers: [
        UsersController,
        TimezonesController,
        ChannelsController,
        MessagesController,
        ReservationsController,
        SchedulesController,
      ],
      providers: [
        ...shared(core),
        { provide: PushMetrics, useValue: counted },
        { provide: CountTurns, useValue: new CountTurns(database, config.PUSH_DATABASE_POOL) },
        {
          provide: MessageGroups,
          useValue: new MessageGroups(database, clock, rules, config.PUSH_ACCEPT_TIMEOUT_MS),
        },
        { provide: APP_FILTER, useValue: new PushErrorFilter(log) },
      ],
    };
  }
}

@Module({})
export class ManagementModule {
  static with(core: Core): DynamicModule {
    const { config, database, clock, log, health, sealer, accessCache, providers, sandbox } = core;
    return {
      module: ManagementModule,
      controllers: [
        HealthController,
        OpenApiController,
        ServicesController,
        TotalsController,
        MessagesAdminController,
        UsersAdminController,
        KeysController,
        CredentialsController,
        SchedulesAdminController,
        ...(sandbox === undefined ? [] : [SandboxController]),
      ],
      providers: [
        ...shared(core),
        { provide: SandboxClock, useValue: sandbox?.clock },
        { provide: Faults, useValue: sandbox?.faults },
        { provide: PUSH_SERVICE_CONFIG, useValue: config },
        { provide: Health, useValue: health },
        { provide: AccessKeys, useValue: new AccessKeys(database, clock, sealer, accessCache) },
        { provide: Sealer, useValue: sealer },
        { provide: PROVIDERS, useValue: providers },
        { provide: ManagementGuard, useValue: new ManagementGuard(config.MANAGEMENT_TOKEN, core.refused) },
        { provide: APP_GUARD, useExisting: ManagementGuard },
        { provide: APP_PIPE, useValue: new ValidationPipe() },
        { provide: APP_FILTER, useValue: new ProblemFilter(log) },
      ],
    };
  }
}
