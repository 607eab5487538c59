// The loops of the push service: fire → expand → deliver, each waking the next; an immediate message is fired when it is
// taken. Every replica runs them all; rows locked by one are passed over by the others.
import type { Clock } from '../platform/clock.js';
import type { Database } from '../platform/database/database.js';
import type { Log } from '../platform/log.js';
import { Loops } from '../platform/loops.js';
import { reseal } from '../platform/reseal.js';
import type { ZoneRules } from '../zone-rules/zone-rules.js';
import type { Sealer } from '../platform/sealed.js';
import type { ClaimOrder } from './delivery/chunk.store.js';
import { ChunkDelivery } from './delivery/deliver-chunk.js';
import { expandNext, type ExpandContext } from './delivery/expand-firing.js';
import type { FiringOrder } from './delivery/firing.store.js';
import { SandboxProvider } from './delivery/sandbox/sandbox-provider.js';
import { UnconfiguredProvider } from './delivery/unconfigured-provider.js';
import {
  DELIVER_LOOP,
  EXPAND_BESIDE_LOOP,
  EXPAND_LOOP,
  EXPAND_SMALL_LOOP,
  FIRE_LOOP,
  RESEAL_LOOP,
  SWEEP_LOOP,
} from './loop-names.js';
import { SEALED } from './gateway/access.store.js';
import { FIRING, type Faults } from './management/faults.js';
import type { PushMetrics } from './push-metrics.js';
import type { PushServiceConfig } from './push-service.config.js';
import { fireDue, nextDue } from './reservations/reservation.store.js';
import { Sweep } from './retention/sweep.js';
import { fireDueSchedule } from './schedules/fire-schedules.js';
import { finishEnded } from './schedules/schedule.store.js';

export interface PushLoopsOptions {
  readonly config: PushServiceConfig;
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  readonly log: Log;
  readonly sealer: Sealer;
  readonly metrics: PushMetrics;
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

/** A timer is set for what is due within this; the loop looks again before anything later. */
const HORIZON_MS = 24 * 3_600_000;

export function pushLoops(options: PushLoopsOptions): Loops {
  const { config, database, clock, log, metrics, faults } = options;
  const idleMs = config.PUSH_IDLE_MS;
  const timeoutMs = config.PUSH_FIRING_TIMEOUT_SECONDS * 1_000;
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
        const done = await expandNext({ database, clock, log, timeoutMs, endingOf }, order);
        if (done > 0) for (const worker of workers) loops.wake(worker);
        return done;
      },
    });
  }

  const provider = metrics.counting(
    config.CARILLON_SANDBOX ? new SandboxProvider() : new UnconfiguredProvider(),
  );
  const leaseMs = config.PUSH_LEASE_MS;
  const delivery = new ChunkDelivery({ sql: database, clock, log, provider, leaseMs });
  for (const [worker, name] of workers.entries()) {
    const turns = claimTurns(worker, workers.length);
    let turn = 0;
    loops.add({
      name,
      idleMs,
      runOnce: async (signal) => {
        const orders = turns[turn % turns.length] ?? [];
        turn += 1;
        return delivery.deliverNext(orders, signal);
      },
    });
  }
  addSweeping(loops, options);
  return loops;
}

/** What time leaves to be done. */
function addSweeping(loops: Loops, { config, database, clock, sealer }: PushLoopsOptions): void {
  const sweep = new Sweep({
    database,
    clock,
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

/**
 * What a worker looks for, turn by turn. Half of the chunks are taken by the age of their message and half by how little
 * of it was sent: by two workers, or by the turns of the only one, so that small messages never wait for a big one to end.
 */
function claimTurns(worker: number, workers: number): readonly (readonly ClaimOrder[])[] {
  if (workers === 1) {
    return [
      ['lost', 'oldest'],
      ['lost', 'spread'],
    ];
  }
  if (worker === 0) return [['lost', 'oldest']];
  return worker % 2 === 0 ? [['oldest']] : [['spread']];
}

function deliveryWorker(worker: number): string {
  return worker === 0 ? DELIVER_LOOP : `${DELIVER_LOOP}-${worker}`;
}
