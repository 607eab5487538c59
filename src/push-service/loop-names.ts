// The loops of this service by name: who makes work for one wakes it.

/** Due messages and schedules become firings. */
export const FIRE_LOOP = 'fire';

/** Firings become chunks of targets. */
export const EXPAND_LOOP = 'expand';

/** Chunks are handed over to providers. */
export const DELIVER_LOOP = 'deliver';

/** What is old ends. */
export const SWEEP_LOOP = 'sweep';

/** The notification that something about keys or services was changed. */
export const KEYS_CHANGED = 'push_keys_changed';
