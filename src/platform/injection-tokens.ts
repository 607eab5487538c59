// Injection tokens that modules of both services use. Classes (Database, Loops) are their own tokens.

/** A Clock (clock.ts). */
export const CLOCK = Symbol('Clock');

/** A ZoneRules (zone-rules/zone-rules.ts), loaded once in a process. */
export const ZONE_RULES = Symbol('ZoneRules');
