// What the process itself adds: the loops of days ahead and of secrets under a former master key, and the checks and metrics of
// the process as a whole. All checks but the first two are notes: they leave the process ready, because it still takes messages.
import { daysFinding, ensurePartitions } from '../platform/database/day-partitions.js';
import { noteByDatabase, type HealthCheck } from '../platform/http/health.js';
import { processMetrics } from '../platform/http/metrics.js';
import type { LoopOptions } from '../platform/loops/loops.js';
import { formerKeys, reseal } from '../platform/secrets/reseal.js';
import type { Stage } from '../platform/stage.js';
import type { Core } from './core.js';
import { LOOPS } from './loop-names.js';
import { SEALED } from './sealed-columns.js';

/** Real milliseconds between two rounds that look for days without partitions. The loop also runs at each midnight (UTC). */
const DAYS_IDLE_MS = 60_000;
const DAY_MS = 86_400_000;
const RESEAL_IDLE_MS = 600_000;

const MAKE_DAYS =
  'the loop days makes the partitions of the next days; the check of loops and the log say why it did not';

export const coreStage = (core: Core): Stage => ({
  loops: [
    daysLoop(core),
    {
      name: LOOPS.reseal,
      idleMs: RESEAL_IDLE_MS,
      runOnce: () => reseal(core.delivery, core.sealer, SEALED),
    },
  ],
  checks: checksOf(core),
  metrics: [...processMetrics(core), ...core.counted.all],
});

function daysLoop({ delivery: database, clock, loops }: Core): LoopOptions {
  let disarm = (): void => {};
  const runOnce = async (): Promise<number> => {
    const now = clock.now();
    disarm();
    disarm = clock.at((Math.floor(now / DAY_MS) + 1) * DAY_MS, () => loops.wake(LOOPS.days));
    await ensurePartitions(database, new Date(now));
    return 0;
  };
  return { name: LOOPS.days, idleMs: DAYS_IDLE_MS, runOnce };
}

function checksOf({ database, clock, clockCheck, gate, loops, sealer }: Core): HealthCheck[] {
  return [
    { name: 'database', find: () => gate.finding() },
    { name: 'days ahead', find: () => daysFinding(database, new Date(clock.now()), MAKE_DAYS) },
    {
      name: 'loops',
      isNote: true,
      find: () => {
        const failing = loops.status().find(({ lastError }) => lastError !== undefined);
        return failing && `${failing.name}: ${failing.lastError ?? ''}`;
      },
    },
    // Leases go by the database's clock. A wrong clock of the machine only stops what is deleted by age.
    { name: 'clock', isNote: true, find: () => clockCheck.finding() },
    noteByDatabase('master key', async () => {
      const found = await formerKeys(database, sealer, SEALED);
      return found.map(({ text }) => text).join('; ');
    }),
  ];
}
