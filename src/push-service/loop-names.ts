// The names of this service's loops, and of its notifications. Whoever makes work for a loop wakes it by its name.

export const LOOPS = {
  /** Due reservations and schedules become firings. */
  fire: 'fire',
  /** Firings become chunks of targets. Two workers take the oldest firing, a third only small firings. */
  expand: 'expand',
  expandBeside: 'expand-beside',
  expandSmall: 'expand-small',
  /** Chunks are handed to providers. Further workers are named `deliver-1` and so on. */
  deliver: 'deliver',
  /** Chunks whose wait or lease is over become READY again. */
  return: 'return',
  /** Outcomes of complete firings are summed up. */
  sum: 'sum',
  /** Partitions of the days ahead are made. */
  days: 'days',
  /** Old rows are removed. */
  sweep: 'sweep',
  /** Secrets under a former master key are sealed anew. */
  reseal: 'reseal',
} as const;

/** The notification that keys or services were changed. */
export const KEYS_CHANGED = 'push_keys_changed';

/** The notification that a credential was set up, changed or removed. */
export const CREDENTIALS_CHANGED = 'push_credentials_changed';
