// The loops of the push service: fire → expand → deliver, each waking the next; an immediate message is fired when it is
// taken. Every replica runs them all; rows locked by one are passed over by the others.
import type { Clock } from '../platform/clock.js';
import type { ClockCheck } from '../platform/database/clock-check.js';
import type { Database } from '../platform/database/database.js';
import { ensurePartitions } from '../platform/database/day-partitions.js';
import type { Log } from '../platform/log.js';
import type { Tracing } from '../platform/tracing/tracing.js';
import { Loops } from '../platform/loops.js';
import { reseal } from '../platform/reseal.js';
import type { ZoneRules } from '../zone-rules/zone-rules.js';
import type { Sealer } from '../platform/sealed.js';
import type { Credentials } from './credentials/credentials.js';
import { wakeDue, type Queue } from './delivery/chunk.store.js';
import { ChunkDelivery } from './delivery/chunk-delivery.js';
import { expandNext, type ExpandContext } from './delivery/expand-firing.js';
import type { FiringOrder } from './delivery/firing.store.js';
import { SandboxProvider } from './delivery/sandbox/sandbox-provider.js';
import type { Route } from './delivery/queue-turns.js';
import { TakeOver } from './delivery/take-over.js';
import {
  DELIVER_LOOP,
  EXPAND_BESIDE_LOOP,
  EXPAND_LOOP,
  EXPAND_SMALL_LOOP,
  DAYS_LOOP,
  FIRE_LOOP,
  RESEAL_LOOP,
  RETURN_LOOP,
  SUM_LOOP,
  SWEEP_LOOP,
} from './loop-names.js';
import { FIRING, type Faults } from './management/faults.js';
import type { PushMetrics } from './push-metrics.js';
import type { Providers } from './providers.js';
import type { PushServiceConfig } from './push-service.config.js';
import { fireDue, nextDue } from './reservations/reservation.store.js';
import { sumOutcomes } from './retention/retention.store.js';
import { Sweep } from './retention/sweep.js';
import { SEALED } from './sealed-columns.js';
import { fireDueSchedule } from './schedules/fire-schedules.js';
import { finishEnded } from './schedules/schedule.store.js';

export interface PushLoopsOptions {
  readonly config: PushServiceConfig;
  readonly database: Database;
  readonly clock: Clock;
  readonly clockCheck: ClockCheck;
  readonly rules: ZoneRules;
  readonly log: Log;
  readonly tracing: Tracing;
  readonly sealer: Sealer;
  readonly metrics: PushMetrics;
  readonly credentials: Credentials;
  readonly providers: Providers;
  /** The sandbox's; undefined without. */
  readonly faults: Faults | undefined;
}

/** Messages of one round of the fire loop. */
const FIRE_BATCH = 500;

/**
 * Real milliseconds between two rounds that found something, of firing and of expanding small ones: what comes side by
 * side goes on together, in a few statements for all of it. The first goes on at once.
 */
const GAP_MS = 20;

/** Firings expanded at once. While others lay down a million targets each, one worker serves the small ones. */
const EXPAND_WORKERS: readonly {
  readonly name: string;
  readonly order: FiringOrder;
  readonly gapMs: number;
}[] = [
  { name: EXPAND_LOOP, order: 'oldest', gapMs: 0 },
  { name: EXPAND_SMALL_LOOP, order: 'small', gapMs: GAP_MS },
  { name: EXPAND_BESIDE_LOOP, order: 'oldest', gapMs: 0 },
];

/** Real milliseconds between two looks for what is old, and between two steps of ending it. */
const SWEEP_IDLE_MS = 600_000;
const SWEEP_GAP_MS = 100;

/** Real milliseconds between two looks for firings to sum up, which nobody waits for: their rows tell the same. */
const SUM_IDLE_MS = 2_000;

/** Real milliseconds between two looks for days that are not made yet; and at each midnight of the clock. */
const DAYS_IDLE_MS = 60_000;
const DAY_MS = 86_400_000;

/** A timer is set for what is due within this; the loop looks again before anything later. */
const HOUR_MS = 3_600_000;
const HORIZON_MS = 24 * HOUR_MS;

export function pushLoops(options: PushLoopsOptions): Loops {
  const { config, database, clock, log, faults } = options;
  const idleMs = config.PUSH_IDLE_MS;
  const timeoutMs = config.PUSH_FIRING_TIMEOUT_SECONDS * 1_000;
  const deliveryMs = config.PUSH_DELIVERY_HOURS * HOUR_MS;
  const loops = new Loops(log);
  let disarm = (): void => {};

  const fireOnce = async (): Promise<number> => {
    let done = 0;
    while (await fireDueSchedule(options, timeoutMs)) done += 1;
    // Read after the schedules: a clock set back meanwhile would else make what was just reserved STALE.
    const now = clock.now();
    done += await fireDue(database, new Date(now), new Date(now - timeoutMs), FIRE_BATCH);
    done += await finishEnded(database, new Date(clock.now()));
    if (done > 0) for (const { name } of EXPAND_WORKERS) loops.wake(name);
    else {
      // Exactly at the minute, by a timer of the wall clock, rather than up to one rest later.
      disarm();
      const due = (await nextDue(database))?.getTime();
      if (due !== undefined && due - clock.now() < HORIZON_MS)
        disarm = clock.at(due, () => loops.wake(FIRE_LOOP));
    }
    return done;
  };
  loops.add({ name: FIRE_LOOP, idleMs, gapMs: GAP_MS, runOnce: fireOnce });

  const workers = Array.from({ length: config.PUSH_DELIVERY_WORKERS }, (_, worker) => deliveryWorker(worker));
  const endingOf: ExpandContext['endingOf'] = ({ serviceId }) => {
    const fault = faults?.strike(FIRING, serviceId);
    return fault?.kind === 'firing' ? fault.ending : undefined;
  };
  for (const { name, order, gapMs } of EXPAND_WORKERS) {
    loops.add({
      name,
      idleMs,
      gapMs,
      runOnce: async () => {
        const done = await expandNext({ database, clock, log, timeoutMs, deliveryMs, endingOf }, order);
        if (done > 0) for (const worker of workers) loops.wake(worker);
        return done;
      },
    });
  }

  addDelivery(loops, workers, options);
  addSums(loops, options);
  addSweeping(loops, options);
  return loops;
}

/** Workers hand chunks over; beside them, what waited long enough or whose process fell silent is made ready for them. */
function addDelivery(loops: Loops, workers: readonly string[], options: PushLoopsOptions): void {
  const { config, database, clock, log, tracing, metrics, credentials } = options;
  const { PUSH_IDLE_MS: idleMs, PUSH_LEASE_MS: leaseMs } = config;
  const delivery = new ChunkDelivery({
    sql: database,
    clock,
    log,
    tracing,
    leaseMs,
    workers: workers.length,
    route: routing(options),
    told: (credential, outcome) => metrics.told(credential, outcome),
    recovered: (credential) => credentials.learned(credential, { kind: 'proven' }),
  });
  const takeOver = new TakeOver({ sql: database, clock, leaseMs, held: () => delivery.held });
  for (const name of workers)
    loops.add({ name, idleMs, runOnce: (signal) => delivery.deliverNext('by-turns', signal) });
  loops.add({
    name: RETURN_LOOP,
    idleMs,
    runOnce: async () => {
      const { chunks, unknown } = await takeOver.runOnce();
      if (chunks > 0) log.warn({ chunks, unknown }, 'chunks were taken over from a process that fell silent');
      metrics.lost(unknown);
      const done = chunks + (await wakeDue(database));
      if (done > 0) for (const worker of workers) loops.wake(worker);
      return done;
    },
  });
}

/** A credential's provider; the sandbox's for a service without one. */
function routing({ config, clock, credentials, providers }: PushLoopsOptions) {
  const sandbox = config.CARILLON_SANDBOX ? new SandboxProvider(clock) : undefined;
  return async ({ serviceId, deviceType }: Queue): Promise<Route | undefined> => {
    const kind = deviceType === 'GCM' ? 'fcm' : 'apns';
    const standing = await credentials.get(serviceId, kind);
    if (standing !== undefined)
      return { provider: providers[kind], credential: standing.ref, faultSince: standing.faultSince };
    if (sandbox === undefined) return undefined;
    const credential = { id: `${kind} of ${serviceId}`, version: 1, kind: 'sandbox' } as const;
    return { provider: sandbox, credential, faultSince: undefined };
  };
}

/** What a day needs before anything is written to it, and before it can go. */
function addSums(loops: Loops, { database, clock }: PushLoopsOptions): void {
  let disarm = (): void => {};
  loops.add({
    name: DAYS_LOOP,
    idleMs: DAYS_IDLE_MS,
    runOnce: async () => {
      const now = clock.now();
      disarm();
      disarm = clock.at((Math.floor(now / DAY_MS) + 1) * DAY_MS, () => loops.wake(DAYS_LOOP));
      await ensurePartitions(database, new Date(now));
      return 0;
    },
  });
  loops.add({
    name: SUM_LOOP,
    idleMs: SUM_IDLE_MS,
    gapMs: GAP_MS,
    runOnce: () => sumOutcomes(database),
  });
}

function addSweeping(loops: Loops, { config, database, clock, clockCheck, sealer }: PushLoopsOptions): void {
  const sweep = new Sweep({
    database,
    clock,
    clockCheck,
    outcomeDays: config.PUSH_OUTCOME_RETENTION_DAYS,
    messageDays: config.PUSH_MESSAGE_RETENTION_DAYS,
  });
  loops.add({
    name: SWEEP_LOOP,
    idleMs: SWEEP_IDLE_MS,
    gapMs: SWEEP_GAP_MS,
    runOnce: () => sweep.runOnce(),
  });
  loops.add({
    name: RESEAL_LOOP,
    idleMs: SWEEP_IDLE_MS,
    runOnce: () => reseal(database, sealer, SEALED),
  });
}

function deliveryWorker(worker: number): string {
  return worker === 0 ? DELIVER_LOOP : `${DELIVER_LOOP}-${worker}`;
}
