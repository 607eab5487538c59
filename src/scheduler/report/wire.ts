// The loop `rollup`, in processes with the role `publish`, with brokers or without.
import type { Core } from '../core.js';
import { RollUp } from './rollup/roll-up.js';

/** Between two rounds, real milliseconds: events that come meanwhile are one page, and reports add what is not rolled up yet. */
const EVERY_MS = 1_000;

export function wireReport({ config, publishing: database, loops, health }: Core): void {
  if (!config.roles.has('publish')) return;
  const rollUp = new RollUp({
    inTransaction: database.transaction.bind(database),
    breakdownFrom: config.breakdownFrom,
  });
  loops.add({
    name: 'rollup',
    runOnce: async (signal) => {
      let rolled = await rollUp.runOnce();
      while (rollUp.hasMore && !signal.aborted) rolled += await rollUp.runOnce();
      if (rolled > 0) loops.nudge('breakdown');
      return rolled;
    },
    idleMs: config.loopIdleMs,
    gapMs: EVERY_MS,
  });
  health.addNote('rollup', () => rollUp.finding());
}
