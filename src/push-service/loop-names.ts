// The loops of this service by name: who makes work for one wakes it.

/** Due reservations and schedules become firings. */
export const FIRE_LOOP = 'fire';

/** Firings become chunks of targets: whichever has waited longest, two at once, beside them small ones alone. */
export const EXPAND_LOOP = 'expand';
export const EXPAND_BESIDE_LOOP = 'expand-beside';
export const EXPAND_SMALL_LOOP = 'expand-small';

/** Chunks are handed over to providers. */
export const DELIVER_LOOP = 'deliver';

/** Chunks whose wait or lease is over are ready again. */
export const RETURN_LOOP = 'return';

/** Outcomes of firings that are complete are summed up. */
export const SUM_LOOP = 'sum';

/** Days are made ahead. */
export const DAYS_LOOP = 'days';

/** What is old ends. */
export const SWEEP_LOOP = 'sweep';

/** Secrets under a former master key are sealed anew. */
export const RESEAL_LOOP = 'reseal';

/** The notification that something about keys or services was changed. */
export const KEYS_CHANGED = 'push_keys_changed';

/** The notification that a credential was set up, changed or removed. */
export const CREDENTIALS_CHANGED = 'push_credentials_changed';
