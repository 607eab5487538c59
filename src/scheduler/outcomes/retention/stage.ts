// The loop `retention`, in every process: it removes days of sends, raw bodies and published events that are past their time.
import { goingDays, goingFinding } from '../../../platform/database/day-partitions.js';
import { noteByDatabase } from '../../../platform/http/health.js';
import type { Stage } from '../../../platform/stage.js';
import type { Core } from '../../core.js';
import { retentionMetrics } from './metrics.js';
import { Retention } from './retention.js';

/** Real milliseconds; the ticks of housekeeping wake it each minute. */
const IDLE_MS = 86_400_000;

export function retentionStage(core: Core): Stage {
  const { clockCheck, database } = core;
  const retention = new Retention(core.planning, core.clock, core.config.kept);
  // A process whose clock is wrong deletes nothing: if it were a year ahead, it would delete all rows.
  const runOnce = async (): Promise<number> => ((await clockCheck.findsRight()) ? retention.runOnce() : 0);
  return {
    loops: [{ name: 'retention', runOnce, idleMs: IDLE_MS }],
    checks: [noteByDatabase('retention', async () => goingFinding(await goingDays(database)))],
    metrics: retentionMetrics(core),
  };
}
