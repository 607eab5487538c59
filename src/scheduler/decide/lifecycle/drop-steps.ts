// The steps in which retention drops an old day, in order (docs/decisions/0001). Until `tables` has ended the day exists, and no send
// that ended on it or before is retried. After that the day is gone, and the further steps delete the rows it left behind.

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
/** A step of a day that is not done. */
export type DropStep = Exclude<(typeof DROP_STEPS)[number], 'done'>;

/** The steps during which the day exists, but no send of it is retried. */
export const GOING: readonly DropStep[] = ['earlier-sends', 'events', 'tables'];

export function stepAfter(step: DropStep): (typeof DROP_STEPS)[number] {
  return DROP_STEPS[DROP_STEPS.indexOf(step) + 1] ?? 'done';
}
