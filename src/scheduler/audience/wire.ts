// Wires the look-ups of registered offsets and names (role plan).
import type { Core } from '../core.js';
import type { UserApi } from '../push-client/push-api.js';
import type { PushClient } from '../push-client/wire.js';
import { LookUpDue } from './look-up-due.js';

export function wireAudience(core: Core, { calls }: PushClient, userApi: UserApi): void {
  const { config, database, projects, clock, log, loops } = core;
  if (!config.roles.has('plan')) return;
  const { offsetCacheMs, loopIdleMs: idleMs } = config;
  const lookUp = new LookUpDue({ database, userApi, calls, projects, clock, log, offsetCacheMs });
  loops.add({ name: 'lookup', idleMs, runOnce: (signal) => lookUp.runOnce(signal) });
}
