// The steps by which an old day is dropped, in order (docs/decisions/0001). Up to `tables` the day exists, and no send that ended on it
// or before is retried; after that it is gone, and what it leaves behind is deleted, until the day is done.

export const DROP_STEPS = [
  'earlier-sends',
  'events',
  'tables',
  'earlier-events',
  'revisions',
  'rejections',
  'duplicates',
  'done',
] as const;
/** Of a day that is not done. */
export type DropStep = Exclude<(typeof DROP_STEPS)[number], 'done'>;

/** The steps during which the day exists, but no send of it is retried. */
export const GOING: readonly DropStep[] = ['earlier-sends', 'events', 'tables'];

export function stepAfter(step: DropStep): (typeof DROP_STEPS)[number] {
  return DROP_STEPS[DROP_STEPS.indexOf(step) + 1] ?? 'done';
}
