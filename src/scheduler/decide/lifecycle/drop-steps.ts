// The steps of a day on its way out, in their order (docs/decisions/0001). Up to `tables` the day is there, and no send of it
// or of a day before is retried; from then on it is gone, and what it leaves is tidied up.

export const DROP_STEPS = [
  'sends',
  'events',
  'tables',
  'ended-sends',
  'ended-events',
  'revisions',
  'rejections',
  'duplicates',
  'waits',
] as const;
export type DropStep = (typeof DROP_STEPS)[number];

/** While the day is there. */
export const COUNTING: readonly DropStep[] = ['sends', 'events', 'tables'];

/** undefined: that was the last; `waits` begins anew instead. */
export function stepAfter(step: DropStep): DropStep | undefined {
  const next = DROP_STEPS[DROP_STEPS.indexOf(step) + 1];
  return next === 'waits' ? undefined : next;
}
