// Injection tokens for what every module of both services is given. Classes (DataSource, Loops) are their own tokens.

/** A Clock (clock.ts). */
export const CLOCK = Symbol('Clock');

/** A Log (log.ts). */
export const LOG = Symbol('Log');
