// The loop `rollup`, in processes with the role `publish`, with brokers or without.
import type { Core } from '../../core.js';
import { LogReader } from '../log/log-reader.js';
import { RollUp } from './roll-up.js';

/** Real milliseconds between two rounds: outcomes that come meanwhile are one page, and reports add those that are not rolled up yet. */
const EVERY_MS = 1_000;
/** Outcomes of one page. */
const ROWS = 2_000;

export function wireRollUp({ config, publishing: database, loops, health }: Core): void {
  if (!config.roles.has('publish')) return;
  const rollUp = new RollUp(config.breakdownFrom);
  const reader = new LogReader(rollUp, { inTransaction: database.transaction.bind(database), rows: ROWS });
  loops.add({
    name: rollUp.name,
    runOnce: async (signal) => {
      const rolled = await reader.runAll(signal);
      if (rolled > 0) loops.wakeResting('breakdown');
      return rolled;
    },
    idleMs: config.loopIdleMs,
    gapMs: EVERY_MS,
  });
  health.addNote('rollup', () => reader.finding());
}
