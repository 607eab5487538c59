// The loops of the push service: fire → expand → deliver. Each wakes the next. An immediate message is fired when it is taken.
// Every replica runs all loops; each passes over rows that another has locked.
import { CLOCK_WINDOW_MS } from '../push-contract/limits.js';
import { ensurePartitions } from '../platform/database/day-partitions.js';
import { reseal } from '../platform/secrets/reseal.js';
import type { Core } from './core.js';
import { wakeDue, type Queue } from './delivery/chunk.store.js';
import { ChunkDelivery } from './delivery/deliver-chunks.js';
import { DeliveryRounds } from './delivery/delivery-rounds.js';
import { expandNext, type ExpandContext } from './delivery/expand-firing.js';
import { SandboxProvider } from './delivery/sandbox/sandbox-provider.js';
import type { Route } from './delivery/queue-turns.js';
import { TakeOver } from './delivery/take-over.js';
import { LOOPS } from './loop-names.js';
import { FIRING } from './management/faults.js';
import { fireRound } from './fire-round.js';
import { nextDue } from './reservations/reservation.store.js';
import { sumOutcomes } from './retention/retention.store.js';
import { Sweep } from './retention/sweep.js';
import { SEALED } from './sealed-columns.js';

/**
 * Real milliseconds between two rounds that found something, for firing and for expanding small messages: so a few statements
 * take what arrives meanwhile. The first round does not wait.
 */
const GAP_MS = 20;

/** The workers that expand. While others expand a million targets each, one worker serves small firings. */
const EXPAND_WORKERS = [
  { name: LOOPS.expand, order: 'oldest', gapMs: 0 },
  { name: LOOPS.expandSmall, order: 'small', gapMs: GAP_MS },
  { name: LOOPS.expandBeside, order: 'oldest', gapMs: 0 },
] as const;

/** Real milliseconds between two rounds that look for old rows, and between two steps that remove them. */
const SWEEP_IDLE_MS = 600_000;
const SWEEP_GAP_MS = 100;

/** Real milliseconds between two rounds that look for firings to sum up. Nobody waits for the sums: the rows give the same. */
const SUM_IDLE_MS = 2_000;

/** Real milliseconds between two rounds that look for days without partitions. The loop also runs at each midnight (UTC). */
const DAYS_IDLE_MS = 60_000;
const DAY_MS = 86_400_000;

const HOUR_MS = 3_600_000;
/** A timer is set only for what is due within this time, milliseconds; the loop looks again before anything later is due. */
const HORIZON_MS = 24 * HOUR_MS;

/** Returns a function that waits until every claim has ended. Call that one once the loops have stopped. */
export function addLoops(core: Core): () => Promise<void> {
  const { config, loops } = core;
  const timeoutMs = config.PUSH_FIRING_TIMEOUT_SECONDS * 1_000;
  const workers = Array.from({ length: config.PUSH_DELIVERY_WORKERS }, (_, worker) =>
    worker === 0 ? LOOPS.deliver : `${LOOPS.deliver}-${worker}`,
  );
  const wake = (names: readonly string[]): void => names.forEach((name) => loops.wake(name));
  addFiring(core, timeoutMs, () => wake(EXPAND_WORKERS.map(({ name }) => name)));
  addExpansion(core, timeoutMs, () => wake(workers));
  const deliveryEnded = addDelivery(core, workers, () => wake(workers));
  addUpkeep(core);
  return deliveryEnded;
}

/** Runs a round that acts on what is due or old. Nobody can set the sandbox's clock meanwhile. */
function byOneTime<Result>({ sandbox }: Core, round: () => Promise<Result>): Promise<Result> {
  return sandbox === undefined ? round() : sandbox.clock.undisturbed(round);
}

function addFiring(core: Core, timeoutMs: number, wakeNext: () => void): void {
  const { config, delivery: database, clock, rules, log, loops } = core;
  const round = () => fireRound({ database, clock, rules, log }, timeoutMs, wakeNext);
  let disarm = (): void => {};
  loops.add({
    name: LOOPS.fire,
    idleMs: config.PUSH_IDLE_MS,
    gapMs: GAP_MS,
    runOnce: async () => {
      const done = await byOneTime(core, round);
      if (done === 0) {
        // A timer of the wall clock fires exactly at the minute, and not up to one rest later. What is due now was passed over
        // because another process holds it: the loop looks for it after a gap, because without the gap it would run all the time.
        disarm();
        const due = (await nextDue(database))?.getTime();
        const now = clock.now();
        if (due !== undefined && due - now < HORIZON_MS)
          disarm = clock.at(due > now ? due : now + GAP_MS, () => loops.wake(LOOPS.fire));
      }
      return done;
    },
  });
}

function addExpansion(
  { config, delivery: database, clock, log, loops, sandbox }: Core,
  timeoutMs: number,
  wakeNext: () => void,
): void {
  const context: ExpandContext = {
    database,
    clock,
    log,
    timeoutMs,
    deliveryMs: config.PUSH_DELIVERY_HOURS * HOUR_MS,
    endingOf: ({ serviceId }) => {
      const fault = sandbox?.faults.strike(FIRING, serviceId);
      return fault?.kind === 'firing' ? fault.ending : undefined;
    },
  };
  for (const { name, order, gapMs } of EXPAND_WORKERS) {
    loops.add({
      name,
      idleMs: config.PUSH_IDLE_MS,
      gapMs,
      runOnce: async () => {
        const done = await expandNext(context, order);
        if (done > 0) wakeNext();
        return done;
      },
    });
  }
}

/** Workers hand chunks over. Another loop makes chunks READY for them whose wait is over or whose process fell silent. */
function addDelivery(core: Core, workers: readonly string[], wakeWorkers: () => void): () => Promise<void> {
  const { config, delivery: database, clock, log, tracing, metrics, credentials, loops, longWaits } = core;
  const { PUSH_IDLE_MS: idleMs, PUSH_LEASE_MS: leaseMs } = config;
  const delivery = new ChunkDelivery({
    sql: database,
    clock,
    log,
    tracing,
    leaseMs,
    route: routing(core),
    onOutcome: (credential, outcome) => metrics.countAnswer(credential, outcome),
    recovered: (credential) => credentials.learned(credential, { kind: 'proven' }),
  });
  const takeOver = new TakeOver({ sql: database, clock, leaseMs, held: () => delivery.held });
  let ended = 0;
  // Wakes one worker, each in its turn: one is enough for the place of one claim, and a statement may hold one up.
  const wakeOne = (): void => loops.wake(workers[(ended += 1) % workers.length] ?? LOOPS.deliver);
  const rounds = new DeliveryRounds(delivery, wakeOne);
  for (const name of workers) loops.add({ name, idleMs, runOnce: (signal) => rounds.runOnce(signal) });
  loops.add({
    name: LOOPS.return,
    idleMs,
    runOnce: async () => {
      longWaits.logChanges();
      const { chunks, unknown } = await takeOver.runOnce();
      if (chunks > 0) log.warn({ chunks, unknown }, 'chunks were taken over from a process that fell silent');
      metrics.countLost(unknown);
      const done = chunks + (await wakeDue(database));
      if (done > 0) wakeWorkers();
      return done;
    },
  });
  return () => rounds.ended();
}

/** The provider of the service's credential. In the sandbox, a service without a credential gets the sandbox's provider. */
function routing({ sandbox, clock, credentials, providers }: Core) {
  const sandboxProvider = sandbox && new SandboxProvider(clock);
  return async ({ serviceId, deviceType }: Queue): Promise<Route | undefined> => {
    const kind = deviceType === 'GCM' ? 'fcm' : 'apns';
    const current = await credentials.get(serviceId, kind);
    if (current !== undefined)
      return { provider: providers[kind], credential: current.ref, faultSince: current.faultSince };
    if (sandboxProvider === undefined) return undefined;
    const credential = { id: `${kind} of ${serviceId}`, version: 1, kind: 'sandbox' } as const;
    return { provider: sandboxProvider, credential, faultSince: undefined };
  };
}

/**
 * What no message waits for: partitions of days ahead, sums of outcomes, removal of old rows, and secrets under a former master
 * key.
 */
function addUpkeep(core: Core): void {
  const { config, delivery: database, clock, clockCheck, sealer, loops } = core;
  let disarm = (): void => {};
  loops.add({
    name: LOOPS.days,
    idleMs: DAYS_IDLE_MS,
    runOnce: async () => {
      const now = clock.now();
      disarm();
      disarm = clock.at((Math.floor(now / DAY_MS) + 1) * DAY_MS, () => loops.wake(LOOPS.days));
      await ensurePartitions(database, new Date(now));
      return 0;
    },
  });
  loops.add({
    name: LOOPS.sum,
    idleMs: SUM_IDLE_MS,
    gapMs: GAP_MS,
    runOnce: () => sumOutcomes(database),
  });
  const sweep = new Sweep({
    database,
    clock,
    clockCheck,
    outcomeDays: config.PUSH_OUTCOME_RETENTION_DAYS,
    messageDays: config.PUSH_MESSAGE_RETENTION_DAYS,
    // A timestamp may be as far ahead of our clock as behind it.
    signedMs: 2 * CLOCK_WINDOW_MS * core.rate,
  });
  loops.add({
    name: LOOPS.sweep,
    idleMs: SWEEP_IDLE_MS,
    gapMs: SWEEP_GAP_MS,
    runOnce: () => byOneTime(core, () => sweep.runOnce()),
  });
  loops.add({
    name: LOOPS.reseal,
    idleMs: SWEEP_IDLE_MS,
    runOnce: () => reseal(database, sealer, SEALED),
  });
}
