// Wires the dispatch stage: the one PushApi of this process, and, where the role is ours, the dispatcher, its beats and the
// search for what replicas that are gone left on the wire.
import { Global, Module, type BeforeApplicationShutdown } from '@nestjs/common';
import { Counter, type Registry } from 'prom-client';
import type { Clock } from '../../platform/clock.js';
import { Database } from '../../platform/database.js';
import type { Log } from '../../platform/log.js';
import { Loops } from '../../platform/loops.js';
import { PooledDatabase } from '../../platform/pooled-database.js';
import { CLOCK, LOG, METRICS, ZONE_RULES } from '../../platform/tokens.js';
import type { ZoneRules } from '../decide/ports.js';
import { PUSH_API, USER_API } from '../decide/push-api.js';
import { OWN_SLICE, WHOLE } from '../decide/slice.js';
import { GatewayClocks } from '../push-client/gateway-clocks.js';
import { ProjectCalls } from '../push-client/project-calls.js';
import { SCHEDULER_CONFIG, type SchedulerConfig } from '../scheduler.config.js';
import { PROJECTS, type ProjectStore } from '../store/project.store.js';
import { SharedWire } from '../push-client/shared-wire.js';
import { DispatchDue } from './dispatch-due.js';
import { ownReplica, OwnReplica } from './own-replica.js';
import { RecoverLost } from './recover-lost.js';
import { RepeatUncertain } from './repeat-uncertain.js';
import { Replicas } from './replicas.js';
import { UndiciPushApi } from './undici-push-api.js';

/** Drains before anything it stands on is closed. */
class DispatchDrain implements BeforeApplicationShutdown {
  constructor(
    private readonly dispatch: DispatchDue | undefined,
    private readonly repeat: RepeatUncertain | undefined,
    private readonly own: OwnReplica | undefined,
    private readonly pushApi: UndiciPushApi,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    this.repeat?.stop();
    await this.dispatch?.stop();
    await this.own?.leave();
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
    {
      provide: OWN_SLICE,
      inject: [OwnReplica],
      useFactory: (own: OwnReplica | undefined) => () => own?.replicas.slice() ?? WHOLE,
    },
    {
      provide: OwnReplica,
      inject: [PooledDatabase, CLOCK, LOG, Loops, METRICS, SCHEDULER_CONFIG],
      useFactory: replicaFrom,
    },
    {
      // undefined: this process does not dispatch.
      provide: Replicas,
      inject: [OwnReplica],
      useFactory: (own: OwnReplica | undefined) => own?.replicas,
    },
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
        Replicas,
      ],
      useFactory: dispatchFrom,
    },
    {
      provide: RecoverLost,
      inject: [Database, CLOCK, LOG, Loops, METRICS, SCHEDULER_CONFIG, Replicas],
      useFactory: recoverFrom,
    },
    {
      provide: RepeatUncertain,
      inject: [Database, PUSH_API, ProjectCalls, CLOCK, LOG, Loops, SCHEDULER_CONFIG, Replicas],
      useFactory: repeatFrom,
    },
    {
      provide: DispatchDrain,
      inject: [DispatchDue, RepeatUncertain, OwnReplica, UndiciPushApi],
      useFactory: (
        dispatch: DispatchDue | undefined,
        repeat: RepeatUncertain | undefined,
        own: OwnReplica | undefined,
        pushApi: UndiciPushApi,
      ) => new DispatchDrain(dispatch, repeat, own, pushApi),
    },
  ],
  exports: [PUSH_API, USER_API, SharedWire, OWN_SLICE],
})
export class DispatchModule {}

function replicaFrom(
  sql: PooledDatabase,
  clock: Clock,
  log: Log,
  loops: Loops,
  metrics: Registry,
  { roles, replicaSilentMs: silentMs }: SchedulerConfig,
): OwnReplica | undefined {
  return roles.has('dispatch') ? ownReplica({ sql, clock, log, loops, metrics, silentMs }) : undefined;
}

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
  replicas: Replicas | undefined,
): DispatchDue | undefined {
  if (replicas === undefined) return undefined;
  const { ms: aheadMs, batch } = config.lookAhead;
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
    replica: replicas.id,
    mayLeave: () => replicas.mayLeave(),
    slice: () => replicas.slice(),
    aheadMs,
    batch,
    wake: () => loops.wake('dispatch'),
    told: () => loops.wake('publish'),
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
  metrics: Registry,
  config: SchedulerConfig,
  replicas: Replicas | undefined,
): RecoverLost | undefined {
  if (replicas === undefined) return undefined;
  const lost = new Counter({
    name: 'carillon_sends_recovered_total',
    help: 'sends on the wire of a replica that was gone, made uncertain by this process',
    registers: [metrics],
  });
  const { ms: aheadMs } = config.lookAhead;
  const recovered = (sends: number): void => lost.inc(sends);
  const recover = new RecoverLost({ sql, clock, log, replicas, aheadMs, recovered });
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
  replicas: Replicas | undefined,
): RepeatUncertain | undefined {
  if (replicas === undefined) return undefined;
  const repeat = new RepeatUncertain({
    sql,
    pushApi,
    calls,
    clock,
    log,
    replica: replicas.id,
    mayLeave: () => replicas.mayLeave(),
    timeoutMs: config.push.timeoutMs,
  });
  loops.add({ name: 'dispatch-repeat', runOnce: () => repeat.runOnce(), idleMs: config.loopIdleMs });
  return repeat;
}
