// The dispatch stage (role dispatch): the dispatcher, its heartbeats, the search for sends that dead replicas had in flight, and
// repeats of uncertain sends.
import type { Stage } from '../../platform/stage.js';
import type { Core } from '../core.js';
import { WHOLE, type Slice } from '../decide/lifecycle/replica-slice.js';
import type { PushClient } from '../push-client/stage.js';
import { CloseKeys } from './close-keys.js';
import { DispatchDue } from './dispatch-due.js';
import { dispatchMetrics, replicaMetrics } from './metrics.js';
import { RecoverLost } from './recover-lost.js';
import { RepeatUncertain } from './repeat-uncertain.js';
import { Replicas, type ReplicasDeps } from './replicas.js';

interface DispatchStage extends Stage {
  /** Undefined: this process does not dispatch. */
  readonly dispatch: DispatchDue | undefined;
  /** This process's slice of the sends. */
  readonly slice: () => Slice;
  /** Resolves when the answer of every call in flight is written down. */
  readonly stop: () => Promise<void>;
}

const NOT_HERE: DispatchStage = {
  dispatch: undefined,
  slice: () => WHOLE,
  stop: () => Promise.resolve(),
};

export function dispatchStage(core: Core, { calls, pushApi }: PushClient): DispatchStage {
  const { config, loops } = core;
  if (!config.roles.has('dispatch')) return NOT_HERE;
  const heartbeat = heartbeatOf(core, {
    reconcile: () => dispatch.reconcile(),
    isSame: () => dispatch.forgetOld(),
  });
  const { replicas } = heartbeat;
  const metrics = dispatchMetrics(() => dispatch.queues());
  const deps = {
    ...core,
    sql: core.database,
    calls,
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
    aheadMs: config.lookAhead.ms,
  };
  const dispatch: DispatchDue = new DispatchDue({
    ...deps,
    by: 'dispatch',
    batch: config.lookAhead.batch,
    wake: () => loops.wake('dispatch'),
    onWritten: () => loops.wake('publish'),
    onTaken: (mode, seconds) => metrics.lateness.observe({ mode }, seconds),
    onNotTaken: (service, code) => metrics.notTaken.inc({ service, code }),
  });
  const recover = new RecoverLost({ ...deps, replicas, recovered: (sends) => metrics.recovered.inc(sends) });
  const repeat = new RepeatUncertain({ ...deps, timeoutMs: config.push.timeoutMs });
  const close = new CloseKeys({ ...deps, timeoutMs: config.push.timeoutMs });
  const { loopIdleMs: idleMs, probeIdleMs } = config;
  return {
    dispatch,
    slice: deps.slice,
    stop: async () => {
      await dispatch.stop();
      await heartbeat.leave();
    },
    loops: [
      ...heartbeat.loops,
      {
        name: 'dispatch',
        // 0: it reads further by itself, and wakes its loop where other projects may have more due than one read brings.
        runOnce: () => dispatch.runOnce().then(() => 0),
        idleMs: () => (dispatch.needsCare ? probeIdleMs : idleMs),
      },
      { name: 'dispatch-recover', runOnce: () => recover.runOnce(), idleMs },
      {
        name: 'dispatch-repeat',
        runOnce: async () => (await close.runOnce()) + (await repeat.runOnce()),
        idleMs,
      },
    ],
    metrics: [...heartbeat.metrics, ...Object.values(metrics)],
  };
}

/** The members of the core that the heartbeats need. */
interface HeartbeatCore
  extends Pick<Core, 'database' | 'clock' | 'log' | 'loops'>, Pick<ReplicasDeps, 'clockCheck'> {
  readonly config: Pick<Core['config'], 'replicaSilentMs'>;
}

/** The heartbeat is a loop that goes on during the drain: so answers that come then are not lost. */
export function heartbeatOf(
  { config, database: sql, clock, clockCheck, log, loops }: HeartbeatCore,
  asked: Pick<ReplicasDeps, 'reconcile' | 'isSame'> = {},
) {
  const silentMs = config.replicaSilentMs;
  const idleMs = silentMs / 5;
  const replicas = new Replicas({
    ...asked,
    sql,
    clock,
    ...(clockCheck !== undefined && { clockCheck }),
    log,
    silentMs,
    gone: () => loops.wake('dispatch-recover'),
    mayLeaveAgain: () => loops.wake('dispatch'),
  });
  const name = 'replica';
  const runOnce = (): Promise<number> => replicas.runOnce();
  return {
    replicas,
    leave: async (): Promise<void> => {
      await loops.end(name);
      // If the database is away, the others take this process for dead after the silence.
      await replicas.leave().catch(() => undefined);
    },
    // A failed round makes no longer rest: after an outage the first replica that is back counts the others' silence from then on.
    loops: [{ name, runOnce, idleMs, longestFailureRestMs: idleMs, lasts: true }],
    metrics: Object.values(replicaMetrics(replicas)),
  };
}
