// The names of this service's loops, by which those that make work for them wake them, and of its notifications.

/** Due reservations and schedules become firings. */
export const FIRE_LOOP = 'fire';

/** Firings become chunks of targets: two workers take the oldest, a third one only small ones. */
export const EXPAND_LOOP = 'expand';
export const EXPAND_BESIDE_LOOP = 'expand-beside';
export const EXPAND_SMALL_LOOP = 'expand-small';

/** Chunks are handed to providers; further workers are named `deliver-1` and so on. */
export const DELIVER_LOOP = 'deliver';

/** Chunks whose wait or lease is over are ready again. */
export const RETURN_LOOP = 'return';

/** Outcomes of complete firings are summed up. */
export const SUM_LOOP = 'sum';

/** Partitions of the days ahead are made. */
export const DAYS_LOOP = 'days';

/** What is old is removed. */
export const SWEEP_LOOP = 'sweep';

/** Secrets under a former master key are sealed anew. */
export const RESEAL_LOOP = 'reseal';

/** The notification that keys or services were changed. */
export const KEYS_CHANGED = 'push_keys_changed';

/** The notification that a credential was set up, changed or removed. */
export const CREDENTIALS_CHANGED = 'push_credentials_changed';
