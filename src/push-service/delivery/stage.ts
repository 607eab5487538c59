// The loops that expand firings into chunks of devices and hand these over: expand → deliver. Each wakes the next.
import type { LoopOptions } from '../../platform/loops/loops.js';
import type { Core } from '../core.js';
import { LOOPS } from '../loop-names.js';
import { FIRING } from '../management/faults.js';
import { providerMetrics, queueMetrics } from '../metrics.js';
import { wakeDue, type Queue } from './chunk.store.js';
import { ChunkDelivery } from './deliver-chunks.js';
import { DeliveryRounds } from './delivery-rounds.js';
import { expandNext, type ExpandContext } from './expand-firing.js';
import type { Route } from './queue-turns.js';
import { SandboxProvider } from './sandbox/sandbox-provider.js';
import { TakeOver } from './take-over.js';

/** Real milliseconds between two rounds that found something, for expanding small firings: so a few statements take what arrives. */
const GAP_MS = 20;

/** The workers that expand. While others expand a million targets each, one worker serves small firings. */
const EXPAND_WORKERS = [
  { name: LOOPS.expand, order: 'oldest', gapMs: 0 },
  { name: LOOPS.expandSmall, order: 'small', gapMs: GAP_MS },
  { name: LOOPS.expandBeside, order: 'oldest', gapMs: 0 },
] as const;

const HOUR_MS = 3_600_000;

export function deliveryStage(core: Core) {
  const { config, loops, longWaits, database, clock, providers } = core;
  const workers = Array.from({ length: config.PUSH_DELIVERY_WORKERS }, (_, worker) =>
    worker === 0 ? LOOPS.deliver : `${LOOPS.deliver}-${worker}`,
  );
  const wake = (names: readonly string[]): void => names.forEach((name) => loops.wake(name));
  const handOver = handOverLoops(core, workers, () => wake(workers));
  return {
    wakeExpansion: () => wake(EXPAND_WORKERS.map(({ name }) => name)),
    /** Waits until every claim has ended. Call it once the loops have stopped. */
    ended: handOver.ended,
    loops: [...expandLoops(core, () => wake(workers)), ...handOver.loops],
    checks: [{ name: 'providers', isNote: true, find: () => longWaits.inWords() || undefined }],
    metrics: [...queueMetrics(database, clock), ...providerMetrics(providers)],
  };
}

function expandLoops(
  { config, delivery: database, clock, log, sandbox, firingTimeoutMs: timeoutMs }: Core,
  wakeNext: () => void,
): LoopOptions[] {
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
  return EXPAND_WORKERS.map(({ name, order, gapMs }) => ({
    name,
    idleMs: config.PUSH_IDLE_MS,
    gapMs,
    runOnce: async () => {
      const done = await expandNext(context, order);
      if (done > 0) wakeNext();
      return done;
    },
  }));
}

/** Workers hand chunks over. Another loop makes chunks READY for them whose wait is over or whose process fell silent. */
function handOverLoops(core: Core, workers: readonly string[], wakeWorkers: () => void) {
  const { config, delivery: database, clock, log, tracing, counted, credentials, loops, longWaits } = core;
  const { PUSH_IDLE_MS: idleMs, PUSH_LEASE_MS: leaseMs } = config;
  const delivery = new ChunkDelivery({
    sql: database,
    clock,
    log,
    tracing,
    leaseMs,
    route: routing(core),
    onOutcome: (credential, outcome) => counted.countAnswer(credential, outcome),
    recovered: (credential) => credentials.learned(credential, { kind: 'proven' }),
  });
  const takeOver = new TakeOver({ sql: database, clock, leaseMs, held: () => delivery.held });
  let ended = 0;
  // Wakes one worker, each in its turn: one is enough for the place of one claim, and a statement may hold one up.
  const wakeOne = (): void => loops.wake(workers[(ended += 1) % workers.length] ?? LOOPS.deliver);
  const rounds = new DeliveryRounds(delivery, wakeOne);
  const hand: LoopOptions[] = workers.map((name) => ({
    name,
    idleMs,
    runOnce: (signal) => rounds.runOnce(signal),
  }));
  const back: LoopOptions = {
    name: LOOPS.return,
    idleMs,
    runOnce: async () => {
      longWaits.logChanges();
      const { chunks, unknown } = await takeOver.runOnce();
      if (chunks > 0) log.warn({ chunks, unknown }, 'chunks were taken over from a process that fell silent');
      counted.countLost(unknown);
      const done = chunks + (await wakeDue(database));
      if (done > 0) wakeWorkers();
      return done;
    },
  };
  return { loops: [...hand, back], ended: () => rounds.ended() };
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
