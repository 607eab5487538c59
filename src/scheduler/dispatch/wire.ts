// The dispatch stage (role dispatch): the dispatcher, its heartbeats, the search for sends that dead replicas had in flight, and
// repeats of uncertain sends.
import { Counter, Gauge } from 'prom-client';
import type { Core } from '../core.js';
import type { PushApi } from '../push-client/push-api.js';
import type { PushClient } from '../push-client/wire.js';
import { DispatchDue } from './dispatch-due.js';
import type { DispatchDeps } from './dispatch-deps.js';
import { RecoverLost } from './recover-lost.js';
import { RepeatUncertain } from './repeat-uncertain.js';
import { Replicas, type ReplicasDeps } from './replicas.js';

/** undefined: this process does not dispatch. */
export function wireDispatch(core: Core, client: PushClient, pushApi: PushApi) {
  const { config, loops } = core;
  if (!config.roles.has('dispatch')) return undefined;
  const { replicas, leave } = wireReplica(core, {
    reconcile: () => dispatch.reconcile(),
    isSame: () => dispatch.forgetOld(),
  });
  const aheadMs = config.lookAhead.ms;
  const deps = {
    ...core,
    sql: core.database,
    ...client,
    pushApi,
    replica: replicas.id,
    server: {
      identity: () => replicas.server,
      other: () => {
        replicas.doubt();
        loops.wake('replica');
      },
    },
    replayMs: config.replayMs,
    mayLeave: (firedAt?: number) => core.clockCheck.isRight && replicas.mayLeave(firedAt),
    slice: () => replicas.slice(),
    aheadMs,
  };
  const dispatch = wireDispatcher(core, deps);
  const recovered = new Counter({
    name: 'carillon_sends_recovered_total',
    help: 'sends in flight of a replica that was gone, made uncertain by this process',
    registers: [core.metrics],
  });
  const recover = new RecoverLost({ ...deps, replicas, recovered: (sends) => recovered.inc(sends) });
  const repeat = new RepeatUncertain({ ...deps, timeoutMs: config.push.timeoutMs });
  const idleMs = config.loopIdleMs;
  loops.add({ name: 'dispatch-recover', runOnce: () => recover.runOnce(), idleMs });
  loops.add({ name: 'dispatch-repeat', runOnce: () => repeat.runOnce(), idleMs });
  return {
    dispatch,
    /** This process's slice of the sends. */
    slice: deps.slice,
    /** Resolves when the answer of every call in flight is written down. */
    stop: async (): Promise<void> => {
      await dispatch.stop();
      await leave();
    },
  };
}

/** The members of the core that the heartbeats need. */
interface ReplicaCore
  extends Pick<Core, 'database' | 'clock' | 'log' | 'loops' | 'metrics'>, Pick<ReplicasDeps, 'clockCheck'> {
  readonly config: Pick<Core['config'], 'replicaSilentMs'>;
}

/** The heartbeat is a loop that goes on during the drain: so answers that come then are not lost. */
export function wireReplica(
  { config, database: sql, clock, clockCheck, log, loops, metrics }: ReplicaCore,
  told: Pick<ReplicasDeps, 'reconcile' | 'isSame'> = {},
) {
  const silentMs = config.replicaSilentMs;
  const idleMs = silentMs / 5;
  const replicas = new Replicas({
    ...told,
    sql,
    clock,
    ...(clockCheck !== undefined && { clockCheck }),
    log,
    silentMs,
    gone: () => loops.wake('dispatch-recover'),
    mayLeaveAgain: () => loops.wake('dispatch'),
  });
  const live: Gauge = new Gauge({
    name: 'carillon_replicas_live',
    help: 'processes that dispatch and live, this one among them, as it sees them',
    registers: [metrics],
    collect: () => live.set(replicas.live),
  });
  const runOnce = (): Promise<number> => replicas.runOnce();
  // A failed round makes no longer rest: after an outage the first replica that is back counts the others' silence from then on.
  const loop = loops.addLasting({ name: 'replica', runOnce, idleMs, longestFailureRestMs: idleMs });
  const leave = async (): Promise<void> => {
    await loop.stop();
    // If the database is away, the others take this process for dead after the silence.
    await replicas.leave().catch(() => undefined);
  };
  return { replicas, leave };
}

function wireDispatcher(
  { config, loops, metrics }: Core,
  deps: Omit<DispatchDeps, 'by' | 'batch' | 'wake' | 'onWritten' | 'onNotTaken'>,
): DispatchDue {
  const notTaken = new Counter({
    name: 'carillon_push_not_taken_total',
    help: 'hand-offs that were not taken, by code',
    labelNames: ['service', 'code'],
    registers: [metrics],
  });
  const dispatch = new DispatchDue({
    ...deps,
    by: 'dispatch',
    batch: config.lookAhead.batch,
    wake: () => loops.wake('dispatch'),
    onWritten: () => loops.wake('publish'),
    onNotTaken: (service, code) => notTaken.inc({ service, code }),
  });
  loops.add({
    name: 'dispatch',
    // 0: it reads further by itself, and wakes its loop where other projects may have more due than one read brings.
    runOnce: () => dispatch.runOnce().then(() => 0),
    idleMs: () => (dispatch.needsCare ? config.probeIdleMs : config.loopIdleMs),
  });
  return dispatch;
}
