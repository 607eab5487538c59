// Wires the look-ups of registered offsets and names (role plan).
import type { Core } from '../core.js';
import type { UserApi } from '../push-client/push-api.js';
import type { PushClient } from '../push-client/wire.js';
import { LookUpDue } from './look-up-due.js';
import { LookUpNow } from './look-up-now.js';

/** Returns what previews look up by, in every role. */
export function wireAudience(core: Core, { calls }: PushClient, userApi: UserApi): LookUpNow {
  const { config, database, projects, clock, log, loops } = core;
  const { offsetCacheMs, loopIdleMs: idleMs } = config;
  const now = new LookUpNow({ database, userApi, calls, projects, clock, offsetCacheMs });
  if (!config.roles.has('plan')) return now;
  const lookUp = new LookUpDue({ database, userApi, calls, projects, clock, log, offsetCacheMs });
  loops.add({ name: 'lookup', idleMs, runOnce: (signal) => lookUp.runOnce(signal) });
  return now;
}
