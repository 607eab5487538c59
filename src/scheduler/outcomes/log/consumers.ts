/** Whoever reads the log of outcomes to its end, each behind a cursor of its own (docs/decisions/0030). */
export const CONSUMERS = ['publish', 'rollup', 'stream'] as const;
export type Consumer = (typeof CONSUMERS)[number];
