// The loop `rollup`, in processes with the role `publish`, with brokers or without.
import type { Stage } from '../../../platform/stage.js';
import type { Core } from '../../core.js';
import { LogReader } from '../log/log-reader.js';
import { rollUpMetrics } from './metrics.js';
import { RollUp } from './roll-up.js';

/** Real milliseconds between two rounds: outcomes that come meanwhile are one page, and reports add those that are not rolled up yet. */
const EVERY_MS = 1_000;
/** Outcomes of one page. */
const ROWS = 2_000;

export function rollUpStage(core: Core): Stage {
  const { config, publishing: database, loops } = core;
  const metrics = rollUpMetrics(core);
  if (!config.roles.has('publish')) return { metrics };
  const rollUp = new RollUp(config.breakdownFrom);
  const reader = new LogReader(rollUp, { inTransaction: database.transaction.bind(database), rows: ROWS });
  return {
    metrics,
    loops: [
      {
        name: rollUp.name,
        runOnce: async (signal) => {
          const rolled = await reader.runAll(signal);
          if (rolled > 0) loops.wakeResting('breakdown');
          return rolled;
        },
        idleMs: config.loopIdleMs,
        gapMs: EVERY_MS,
      },
    ],
    checks: [{ name: 'rollup', isNote: true, find: () => reader.finding() }],
  };
}
