// The two applications of the push service: the interface, and the management API on a port of its own. Both are given
// the same parts; neither makes any.
import { Module, type DynamicModule, type Provider, type Type } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import type { Clock } from '../platform/clock.js';
import { Database } from '../platform/database/database.js';
import { Health } from '../platform/http/health.js';
import type { Log } from '../platform/log.js';
import type { Tracing } from '../platform/tracing/tracing.js';
import { Loops } from '../platform/loops.js';
import { ProblemFilter } from '../platform/http/problem.filter.js';
import { Sealer } from '../platform/sealed.js';
import { CLOCK, ZONE_RULES } from '../platform/tokens.js';
import type { ZoneRules } from '../zone-rules/zone-rules.js';
import { ValidationPipe } from '../platform/http/validation.pipe.js';
import { ChannelsController } from './channels/channels.controller.js';
import { CredentialsController } from './credentials/credentials.controller.js';
import { CountTurns } from './gateway/count-turns.js';
import { PushErrorFilter } from './gateway/push-error.filter.js';
import { AccessKeys } from './management/access-keys.js';
import { Faults } from './management/faults.js';
import { HealthController } from './management/health.controller.js';
import { KeysController } from './management/keys.controller.js';
import { MANAGEMENT_OPENAPI, OpenApiController, type MadeOpenApi } from './management/openapi.controller.js';
import { ManagementGuard } from './management/management.guard.js';
import { SandboxClock } from './management/sandbox-clock.js';
import { SandboxController } from './management/sandbox.controller.js';
import { SchedulesAdminController } from './management/schedules-admin.controller.js';
import { ServicesController } from './management/services.controller.js';
import { MESSAGE_DAYS, TotalsController } from './management/totals.controller.js';
import { MessageGroups } from './messages/message-groups.js';
import { MessagesController } from './messages/messages.controller.js';
import type { PushServiceConfig } from './push-service.config.js';
import { ReservationsController } from './reservations/reservations.controller.js';
import { SchedulesController } from './schedules/schedules.controller.js';
import { UsersController } from './users/users.controller.js';
import { PROVIDERS, type Providers } from './providers.js';
import { PushMetrics } from './push-metrics.js';

export interface PushParts {
  readonly config: PushServiceConfig;
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  readonly log: Log;
  readonly tracing: Tracing;
  readonly loops: Loops;
  readonly health: Health;
  readonly metrics: PushMetrics;
  readonly keys: AccessKeys;
  readonly providers: Providers;
  readonly sealer: Sealer;
  /** Of management; filled in once the application stands. */
  readonly openApi: MadeOpenApi;
  /** Undefined without --sandbox. */
  readonly sandbox: { readonly clock: SandboxClock; readonly faults: Faults } | undefined;
}

function shared(parts: PushParts): Provider[] {
  return [
    { provide: Database, useValue: parts.database },
    { provide: CLOCK, useValue: parts.clock },
    { provide: ZONE_RULES, useValue: parts.rules },
    { provide: Loops, useValue: parts.loops },
  ];
}

/** push-interface.md §4: every operation of the interface. */
@Module({})
export class PushServiceModule {
  static with(parts: PushParts): DynamicModule {
    return {
      module: PushServiceModule,
      controllers: [
        UsersController,
        ChannelsController,
        MessagesController,
        ReservationsController,
        SchedulesController,
      ],
      providers: [
        ...shared(parts),
        { provide: PushMetrics, useValue: parts.metrics },
        { provide: CountTurns, useValue: new CountTurns(parts.database, parts.config.PUSH_DATABASE_POOL) },
        {
          provide: MessageGroups,
          useFactory: () =>
            new MessageGroups(parts.database, parts.clock, parts.rules, parts.config.PUSH_ACCEPT_TIMEOUT_MS),
        },
        { provide: APP_FILTER, useFactory: () => new PushErrorFilter(parts.log) },
      ],
    };
  }
}

@Module({})
export class ManagementModule {
  static with(parts: PushParts): DynamicModule {
    const controllers: Type[] = [
      HealthController,
      OpenApiController,
      ServicesController,
      TotalsController,
      KeysController,
      CredentialsController,
      SchedulesAdminController,
    ];
    const sandbox: Provider[] = [];
    if (parts.sandbox !== undefined) {
      controllers.push(SandboxController);
      sandbox.push(
        { provide: SandboxClock, useValue: parts.sandbox.clock },
        { provide: Faults, useValue: parts.sandbox.faults },
      );
    }
    return {
      module: ManagementModule,
      controllers,
      providers: [
        ...shared(parts),
        ...sandbox,
        { provide: Health, useValue: parts.health },
        { provide: MANAGEMENT_OPENAPI, useValue: parts.openApi },
        { provide: AccessKeys, useValue: parts.keys },
        { provide: Sealer, useValue: parts.sealer },
        { provide: MESSAGE_DAYS, useValue: parts.config.PUSH_MESSAGE_RETENTION_DAYS },
        { provide: PROVIDERS, useValue: parts.providers },
        { provide: ManagementGuard, useFactory: () => new ManagementGuard(parts.config.MANAGEMENT_TOKEN) },
        { provide: APP_GUARD, useExisting: ManagementGuard },
        { provide: APP_PIPE, useFactory: () => new ValidationPipe() },
        { provide: APP_FILTER, useFactory: () => new ProblemFilter(parts.log) },
      ],
    };
  }
}
