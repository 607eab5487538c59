// The loops that sum up outcomes and remove old rows.
import { CLOCK_WINDOW_MS } from '../../push-contract/limits.js';
import { goingDays, goingFinding } from '../../platform/database/day-partitions.js';
import { noteByDatabase } from '../../platform/http/health.js';
import type { Stage } from '../../platform/stage.js';
import type { Core } from '../core.js';
import { LOOPS } from '../loop-names.js';
import { byOneTime } from '../management/sandbox-clock.js';
import { dayMetrics } from '../metrics.js';
import { stuckDays, stuckFinding, sumOutcomes } from './retention.store.js';
import { outcomesFrom, Sweep } from './sweep.js';

/** Real milliseconds between two rounds that look for firings to sum up. Nobody waits for the sums: the rows give the same. */
const SUM_IDLE_MS = 2_000;
const SUM_GAP_MS = 20;
/** Real milliseconds between two rounds that look for old rows, and between two steps that remove them. */
const SWEEP_IDLE_MS = 600_000;
const SWEEP_GAP_MS = 100;

export function retentionStage(core: Core): Stage {
  const { config, database, delivery, clock, clockCheck } = core;
  const outcomeDays = config.PUSH_OUTCOME_RETENTION_DAYS;
  /** Days that ended by then are due for removal since a day or longer: the sweep has had its rounds for them. */
  const olderThan = (): Date => outcomesFrom(clock.now(), outcomeDays + 1);
  const sweep = new Sweep({
    database: delivery,
    clock,
    clockCheck,
    outcomeDays,
    messageDays: config.PUSH_MESSAGE_RETENTION_DAYS,
    // A timestamp may be as far ahead of our clock as behind it.
    signedMs: 2 * CLOCK_WINDOW_MS * core.rate,
  });
  const step = () => sweep.runOnce();
  return {
    loops: [
      { name: LOOPS.sum, idleMs: SUM_IDLE_MS, gapMs: SUM_GAP_MS, runOnce: () => sumOutcomes(delivery) },
      {
        name: LOOPS.sweep,
        idleMs: SWEEP_IDLE_MS,
        gapMs: SWEEP_GAP_MS,
        runOnce: () => byOneTime(core, step),
      },
    ],
    checks: [
      noteByDatabase('retention', async () => {
        const stuck = stuckFinding(await stuckDays(database, olderThan()));
        const going = goingFinding(await goingDays(database));
        return [stuck, going].filter((text) => text !== undefined).join('; ');
      }),
    ],
    metrics: dayMetrics(database, olderThan),
  };
}
