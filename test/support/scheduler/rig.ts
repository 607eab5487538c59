// A dispatcher on a world's database and a gateway, with the clock of the test's choice.
import { pino } from 'pino';
import { v4 } from 'uuid';
import type { Clock } from '../../../src/platform/clock.js';
import type { Sql } from '../../../src/platform/database/database.js';
import { FullReads } from '../../../src/platform/loops/full-reads.js';
import type { Log } from '../../../src/platform/logging/log.js';
import type { Sealer } from '../../../src/platform/secrets/sealed.js';
import { loadZoneRules } from '../../../src/zone-rules/load-zone-rules.js';
import { WHOLE, type Slice } from '../../../src/scheduler/decide/lifecycle/replica-slice.js';
import { DispatchDue } from '../../../src/scheduler/dispatch/dispatch-due.js';
import type { Replicas } from '../../../src/scheduler/dispatch/replicas.js';
import { UndiciPushApi } from '../../../src/scheduler/push-client/undici-push-api.js';
import { ProjectStore } from '../../../src/scheduler/store/project.store.js';
import type { CircuitLimits } from '../../../src/scheduler/push-client/blocks/circuit.js';
import { GatewayClocks } from '../../../src/scheduler/push-client/gateway-clocks.js';
import { ProjectCalls, type TurnLimits } from '../../../src/scheduler/push-client/project-calls.js';
import { FollowDue, type FollowDeps } from '../../../src/scheduler/follow/follow-due.js';
import { LearnedGaps } from '../../../src/scheduler/follow/learned-gaps.js';
import type { World } from './world.js';

/** A read from the start, whatever it takes. */
const ALWAYS = { everyMs: 0, oneIn: 0 };

export interface Limits {
  aheadMs?: number;
  batch?: number;
  replica?: string;
  slice?: () => Slice;
  mayLeave?: () => boolean;
  timeoutMs?: number;
  connectTimeoutMs?: number;
  log?: Log;
  fullReads?: FullReads;
  /** Opens the projects' keys; default the world's. */
  sealer?: Sealer;
  /** What the dispatcher reaches the database by; default the world's. */
  sql?: Sql;
  /** Who dispatches; default somebody without a heartbeat. */
  replicas?: Pick<Replicas, 'id' | 'mayLeave'>;
  /** The limits of the projects' circuits, and how long a call waits for a turn; default as in production. */
  circuit?: CircuitLimits;
  turns?: TurnLimits;
}

export interface Rig {
  dispatch: DispatchDue;
  pushApi: UndiciPushApi;
  /** The calls of everybody in this process who calls a gateway. */
  calls: ProjectCalls;
  clocks: GatewayClocks;
  projects: ProjectStore;
  /** Rounds asked for by the dispatcher itself. */
  wakes: number;
  stop(): Promise<void>;
}

const rules = loadZoneRules();
const silent = pino({ level: process.env['SPEC_LOG'] ?? 'silent' });

export function rigOf(world: World, clock: Clock, limits: Limits = {}): Rig {
  const {
    aheadMs = 2_000,
    batch = 500,
    // A busy machine answers late; no test but that of a late answer waits for them.
    timeoutMs = 30_000,
    connectTimeoutMs = 10_000,
    log = silent,
    sealer = world.sealer,
    sql = world.dataSource,
    replicas = { id: v4(), mayLeave: () => true },
  } = limits;
  const projects = new ProjectStore(world.dataSource, sealer, clock);
  const calls = new ProjectCalls({
    sql,
    projects,
    clock,
    log,
    ...(limits.circuit === undefined ? {} : { circuit: limits.circuit }),
    ...(limits.turns === undefined ? {} : { turns: limits.turns }),
  });
  const clocks = new GatewayClocks(calls.troubles, clock, log);
  const pushApi = new UndiciPushApi(projects, clock, {
    timeoutMs,
    connectTimeoutMs,
    corrected: (serviceId, offsetMs) => clocks.corrected(serviceId, offsetMs),
  });
  const rig = { projects, pushApi, calls, clocks, wakes: 0 } as Rig;
  rig.dispatch = new DispatchDue({
    sql,
    pushApi,
    calls,
    projects,
    rules,
    clock,
    log,
    by: 'dispatch',
    replica: limits.replica ?? replicas.id,
    mayLeave: limits.mayLeave ?? ((firedAt) => replicas.mayLeave(firedAt)),
    slice: limits.slice ?? (() => WHOLE),
    fullReads: limits.fullReads ?? new FullReads(clock, ALWAYS),
    aheadMs,
    batch,
    wake: () => (rig.wakes += 1),
    onWritten: () => undefined,
    onNotTaken: () => undefined,
  });
  rig.stop = async () => {
    await rig.dispatch.stop();
    await calls.stop();
    await pushApi.close();
  };
  return rig;
}

/** A follower of results and reservations, by the rig's client and projects. */
export function followerOf(
  world: World,
  clock: Clock,
  { pushApi, calls, projects }: Pick<Rig, 'pushApi' | 'calls' | 'projects'>,
  more: Partial<FollowDeps> = {},
): FollowDue {
  return new FollowDue({
    sql: world.dataSource,
    pushApi,
    calls,
    projects,
    gaps: new LearnedGaps(),
    rules,
    clock,
    log: silent,
    by: 'follow',
    work: 'p',
    batch: 100,
    windowMs: 86_400_000,
    slice: () => WHOLE,
    fullReads: new FullReads(clock, ALWAYS),
    wake: () => undefined,
    onWritten: () => undefined,
    ...more,
  });
}
