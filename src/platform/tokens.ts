// Injection tokens for what every module of both services is given. Classes (Database, Loops) are their own tokens.

/** A Clock (clock.ts). */
export const CLOCK = Symbol('Clock');

/** A ZoneRules (zone-rules/zone-rules.ts), loaded once per process. */
export const ZONE_RULES = Symbol('ZoneRules');
