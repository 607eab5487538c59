// The names of this service's loops, by which those that make work for them wake them, and of its notifications.

export const LOOPS = {
  /** Due reservations and schedules become firings. */
  fire: 'fire',
  /** Firings become chunks of targets: two workers take the oldest, a third one only small ones. */
  expand: 'expand',
  expandBeside: 'expand-beside',
  expandSmall: 'expand-small',
  /** Chunks are handed to providers; further workers are named `deliver-1` and so on. */
  deliver: 'deliver',
  /** Chunks whose wait or lease is over are ready again. */
  return: 'return',
  /** Outcomes of complete firings are summed up. */
  sum: 'sum',
  /** Partitions of the days ahead are made. */
  days: 'days',
  /** What is old is removed. */
  sweep: 'sweep',
  /** Secrets under a former master key are sealed anew. */
  reseal: 'reseal',
} as const;

/** The notification that keys or services were changed. */
export const KEYS_CHANGED = 'push_keys_changed';

/** The notification that a credential was set up, changed or removed. */
export const CREDENTIALS_CHANGED = 'push_credentials_changed';
