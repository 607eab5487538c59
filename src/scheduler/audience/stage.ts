// The look-ups of registered offsets and names (role plan).
import type { Core } from '../core.js';
import type { PushClient } from '../push-client/stage.js';
import { LookUpDue } from './look-up-due.js';
import { LookUpNow } from './look-up-now.js';

export function audienceStage(core: Core, { calls, pushApi: userApi }: PushClient) {
  const { offsetCacheMs, loopIdleMs: idleMs, roles } = core.config;
  const { database, projects, clock, log } = core;
  const deps = { database, userApi, calls, projects, clock, offsetCacheMs };
  const lookUp = new LookUpDue({ ...deps, log });
  return {
    /** What previews look up by, in every role. */
    lookUps: new LookUpNow(deps),
    loops: roles.has('plan')
      ? [{ name: 'lookup', idleMs, runOnce: (signal: AbortSignal) => lookUp.runOnce(signal) }]
      : [],
  };
}
