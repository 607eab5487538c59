// The dispatch stage (role dispatch): the dispatcher, its beats, the search for what replicas that are gone left on the
// wire, and repeats of what is uncertain.
import { Counter, Gauge } from 'prom-client';
import type { Core } from '../core.js';
import type { PushApi } from '../push-client/push-api.js';
import type { Slice } from '../decide/lifecycle/slice.js';
import type { PushClient } from '../push-client/wire.js';
import { DispatchDue } from './dispatch-due.js';
import type { DispatchParts } from './dispatch-parts.js';
import { RecoverLost } from './recover-lost.js';
import { RepeatUncertain } from './repeat-uncertain.js';
import { Replicas } from './replicas.js';

export interface DispatchStage {
  readonly dispatch: DispatchDue;
  /** This process's part of the sends. */
  readonly slice: () => Slice;
  /** Ends when every call in flight is written down. */
  stop(): Promise<void>;
}

/** undefined: this process does not dispatch. */
export function wireDispatch(core: Core, client: PushClient, pushApi: PushApi): DispatchStage | undefined {
  const { config, loops } = core;
  if (!config.roles.has('dispatch')) return undefined;
  const { replicas, leave } = wireReplica(core);
  const own = {
    ...core,
    sql: core.database,
    ...client,
    pushApi,
    replica: replicas.id,
    mayLeave: (firedAt?: number) => core.clockCheck.isRight && replicas.mayLeave(firedAt),
    slice: () => replicas.slice(),
  };
  const dispatch = wireDispatcher(core, own);
  const recovered = new Counter({
    name: 'carillon_sends_recovered_total',
    help: 'sends on the wire of a replica that was gone, made uncertain by this process',
    registers: [core.metrics],
  });
  const aheadMs = config.lookAhead.ms;
  const recover = new RecoverLost({ ...own, replicas, aheadMs, recovered: (sends) => recovered.inc(sends) });
  const repeat = new RepeatUncertain({ ...own, timeoutMs: config.push.timeoutMs });
  const idleMs = config.loopIdleMs;
  loops.add({ name: 'dispatch-recover', runOnce: () => recover.runOnce(), idleMs });
  loops.add({ name: 'dispatch-repeat', runOnce: () => repeat.runOnce(), idleMs });
  return {
    dispatch,
    slice: own.slice,
    stop: async () => {
      repeat.stop();
      await dispatch.stop();
      await leave();
    },
  };
}

/** What its beats need of the core. */
export interface ReplicaCore extends Pick<Core, 'database' | 'clock' | 'log' | 'loops' | 'metrics'> {
  readonly config: Pick<Core['config'], 'replicaSilentMs'>;
}

/** Its beat is a loop that goes on through the drain: what is still answered then is not lost. */
export function wireReplica({ config, database: sql, clock, log, loops, metrics }: ReplicaCore) {
  const silentMs = config.replicaSilentMs;
  const idleMs = silentMs / 5;
  const replicas = new Replicas({
    sql,
    clock,
    log,
    silentMs,
    gone: () => loops.wake('dispatch-recover'),
    mayLeaveAgain: () => loops.wake('dispatch'),
  });
  const live: Gauge = new Gauge({
    name: 'carillon_replicas_live',
    help: 'processes that dispatch and beat, this one among them, as it sees them',
    registers: [metrics],
    collect: () => live.set(replicas.live),
  });
  const runOnce = (): Promise<number> => replicas.runOnce();
  // No longer where it fails: whoever is back first after an outage counts the others' silence from then on.
  const loop = loops.add({ name: 'replica', runOnce, idleMs, longestFailureRestMs: idleMs, lasts: true });
  const leave = async (): Promise<void> => {
    await loop.stop();
    // Where the database is away, its row is found silent.
    await replicas.leave().catch(() => undefined);
  };
  return { replicas, leave };
}

type Own = Omit<DispatchParts, 'by' | 'aheadMs' | 'batch' | 'wake' | 'told' | 'notTaken'>;

function wireDispatcher({ config, loops, metrics }: Core, own: Own): DispatchDue {
  const notTaken = new Counter({
    name: 'carillon_push_not_taken_total',
    help: 'hand-offs that were not taken, by code',
    labelNames: ['service', 'code'],
    registers: [metrics],
  });
  const dispatch = new DispatchDue({
    ...own,
    by: 'dispatch',
    aheadMs: config.lookAhead.ms,
    batch: config.lookAhead.batch,
    wake: () => loops.wake('dispatch'),
    told: () => loops.wake('publish'),
    notTaken: (service, code) => notTaken.inc({ service, code }),
  });
  loops.add({
    name: 'dispatch',
    // It reads on by itself, and wakes its loop where others may have more due than one read brings.
    runOnce: () => dispatch.runOnce().then(() => 0),
    idleMs: () => (dispatch.needsCare ? config.probeIdleMs : config.loopIdleMs),
  });
  return dispatch;
}
