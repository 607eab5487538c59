// Wires the dispatch stage: the one PushApi of this process, and, where the role is ours, the dispatcher and the sweep
// for lost leases.
import { Global, Module, type BeforeApplicationShutdown } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import { Loops } from '../../platform/loops.js';
import { CLOCK, LOG, METRICS, ZONE_RULES } from '../../platform/tokens.js';
import type { ZoneRules } from '../decide/ports.js';
import { PUSH_API, USER_API } from '../decide/push-api.js';
import { GatewayClocks } from '../push-client/gateway-clocks.js';
import { ProjectCalls } from '../push-client/project-calls.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import { PROJECTS, type ProjectStore } from '../store/project.store.js';
import { SharedWire } from '../push-client/shared-wire.js';
import { DispatchDue } from './dispatch-due.js';
import { RecoverLost } from './recover-lost.js';
import { RepeatUncertain } from './repeat-uncertain.js';
import { UndiciPushApi } from './undici-push-api.js';

/** Drains before anything it stands on is closed. */
class DispatchDrain implements BeforeApplicationShutdown {
  constructor(
    private readonly dispatch: DispatchDue | undefined,
    private readonly repeat: RepeatUncertain | undefined,
    private readonly pushApi: UndiciPushApi,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    this.repeat?.stop();
    await this.dispatch?.stop();
    await this.pushApi.close();
  }
}

@Global()
@Module({
  providers: [
    {
      provide: UndiciPushApi,
      inject: [PROJECTS, CLOCK, GatewayClocks, SCHEDULER_CONFIG],
      useFactory: (projects: ProjectStore, clock: Clock, clocks: GatewayClocks, { push }: SchedulerConfig) =>
        new UndiciPushApi(projects, clock, {
          ...push,
          corrected: (serviceId, offsetMs) => clocks.heard(serviceId, offsetMs),
        }),
    },
    { provide: SharedWire, useFactory: () => new SharedWire() },
    { provide: PUSH_API, useExisting: UndiciPushApi },
    { provide: USER_API, useExisting: UndiciPushApi },
    {
      provide: DispatchDue,
      inject: [
        Database,
        PUSH_API,
        ProjectCalls,
        PROJECTS,
        SharedWire,
        ZONE_RULES,
        CLOCK,
        LOG,
        Loops,
        METRICS,
        SCHEDULER_CONFIG,
      ],
      useFactory: dispatchFrom,
    },
    {
      provide: RecoverLost,
      inject: [Database, CLOCK, LOG, Loops, SCHEDULER_CONFIG],
      useFactory: recoverFrom,
    },
    {
      provide: RepeatUncertain,
      inject: [Database, PUSH_API, ProjectCalls, CLOCK, LOG, Loops, SCHEDULER_CONFIG],
      useFactory: repeatFrom,
    },
    {
      provide: DispatchDrain,
      inject: [DispatchDue, RepeatUncertain, UndiciPushApi],
      useFactory: (
        dispatch: DispatchDue | undefined,
        repeat: RepeatUncertain | undefined,
        pushApi: UndiciPushApi,
      ) => new DispatchDrain(dispatch, repeat, pushApi),
    },
  ],
  exports: [PUSH_API, USER_API, SharedWire],
})
export class DispatchModule {}

function dispatchFrom(
  sql: Database,
  pushApi: UndiciPushApi,
  calls: ProjectCalls,
  projects: ProjectStore,
  wire: SharedWire,
  rules: ZoneRules,
  clock: Clock,
  log: Log,
  loops: Loops,
  metrics: Registry,
  config: SchedulerConfig,
): DispatchDue | undefined {
  if (!config.roles.has('dispatch')) return undefined;
  const { aheadMs, batch, leaseMs: claimLeaseMs } = config.claim;
  const notTaken = new Counter({
    name: 'carillon_push_not_taken_total',
    help: 'hand-offs that were not taken, by code',
    labelNames: ['service', 'code'],
    registers: [metrics],
  });
  const dispatch = new DispatchDue({
    sql,
    pushApi,
    calls,
    projects,
    wire,
    rules,
    clock,
    log,
    by: 'dispatch',
    claimLeaseMs,
    leaseMs: config.fireLeaseMs,
    aheadMs,
    batch,
    wake: () => loops.wake('dispatch'),
    notTaken: (service, code) => notTaken.inc({ service, code }),
  });
  loops.add({
    name: 'dispatch',
    runOnce: () => dispatch.runOnce(),
    idleMs: () => (dispatch.needsCare ? config.probeIdleMs : config.loopIdleMs),
  });
  return dispatch;
}

function recoverFrom(
  sql: Database,
  clock: Clock,
  log: Log,
  loops: Loops,
  config: SchedulerConfig,
): RecoverLost | undefined {
  if (!config.roles.has('dispatch')) return undefined;
  const recover = new RecoverLost(sql, clock, log);
  loops.add({ name: 'dispatch-recover', runOnce: () => recover.runOnce(), idleMs: config.loopIdleMs });
  return recover;
}

function repeatFrom(
  sql: Database,
  pushApi: UndiciPushApi,
  calls: ProjectCalls,
  clock: Clock,
  log: Log,
  loops: Loops,
  config: SchedulerConfig,
): RepeatUncertain | undefined {
  if (!config.roles.has('dispatch')) return undefined;
  const repeat = new RepeatUncertain({
    sql,
    pushApi,
    calls,
    clock,
    log,
    leaseMs: config.fireLeaseMs,
  });
  loops.add({ name: 'dispatch-repeat', runOnce: () => repeat.runOnce(), idleMs: config.loopIdleMs });
  return repeat;
}
