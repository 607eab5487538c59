// The steps by which an old day is dropped, in order (docs/decisions/0001). Up to `tables` the day exists, and no send that ended on it
// or before is retried; after that it is gone, and what it leaves behind is deleted.

export const DROP_STEPS = [
  'sends',
  'events',
  'tables',
  'earlier-sends',
  'earlier-events',
  'revisions',
  'rejections',
  'duplicates',
] as const;
export type DropStep = (typeof DROP_STEPS)[number];

/** The steps during which the day exists. */
export const COUNTING: readonly DropStep[] = ['sends', 'events', 'tables'];

/** Undefined after the last step. */
export function stepAfter(step: DropStep): DropStep | undefined {
  return DROP_STEPS[DROP_STEPS.indexOf(step) + 1];
}
