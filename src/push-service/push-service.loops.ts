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
import type { Provider } from './delivery/provider.js';
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
import { fireDue, nextDue } from './reservations/reservation.store.js';
import { Sweep } from './retention/sweep.js';
import { fireDueSchedule } from './schedules/fire-schedules.js';
import { finishEnded } from './schedules/schedule.store.js';

export interface PushLoopsOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly rules: ZoneRules;
  readonly log: Log;
  readonly provider: Provider;
  readonly firingTimeoutMs: number;
  readonly workers: number;
  readonly leaseMs: number;
  readonly idleMs: number;
  readonly outcomeDays: number;
  readonly messageDays: number;
  readonly sealer: Sealer;
  readonly endingOf?: ExpandContext['endingOf'];
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
  const { database, clock, log, idleMs } = options;
  const loops = new Loops(log);
  let disarm = (): void => {};

  const fireOnce = async (): Promise<number> => {
    let done = 0;
    while (await fireDueSchedule(options, options.firingTimeoutMs)) done += 1;
    // Read after the schedules: a clock set back meanwhile would else make what was just reserved STALE.
    const now = clock.now();
    done += await fireDue(database, new Date(now), new Date(now - options.firingTimeoutMs), FIRE_BATCH);
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

  const expanding = { database, clock, log, timeoutMs: options.firingTimeoutMs, endingOf: options.endingOf };
  for (const { name, order, gapMs } of EXPAND_WORKERS) {
    loops.add({
      name,
      idleMs,
      gapMs,
      runOnce: async () => {
        const done = await expandNext(expanding, order);
        if (done > 0) wakeDelivery(loops, options.workers);
        return done;
      },
    });
  }

  const delivery = new ChunkDelivery({
    sql: database,
    clock,
    log,
    provider: options.provider,
    leaseMs: options.leaseMs,
  });
  for (let worker = 0; worker < options.workers; worker += 1) {
    const turns = claimTurns(worker, options.workers);
    let turn = 0;
    loops.add({
      name: deliveryWorker(worker),
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
function addSweeping(
  loops: Loops,
  { database, clock, outcomeDays, messageDays, sealer }: PushLoopsOptions,
): void {
  const sweep = new Sweep({ database, clock, outcomeDays, messageDays });
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

function wakeDelivery(loops: Loops, workers: number): void {
  for (let worker = 0; worker < workers; worker += 1) loops.wake(deliveryWorker(worker));
}
