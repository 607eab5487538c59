// The clock of a command that plans, judges or writes an expiry: in the sandbox that of the services (CARILLON_CLOCK).
import type { Clock } from '../../platform/clock.js';
import { processEnvironment } from '../../platform/env.js';
import { readClock } from '../../scheduler/scheduler.config.js';

/** Throws ConfigError for a CARILLON_CLOCK outside the sandbox, or one that cannot be read. */
export function commandClock(): Clock {
  return readClock(processEnvironment());
}
