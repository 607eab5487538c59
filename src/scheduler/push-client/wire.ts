// Makes what all callers of gateways in this process share: turns, blocks, places in flight, and the clocks of the gateways.
import type { Core } from '../core.js';
import { GatewayClocks } from './gateway-clocks.js';
import { ProjectCalls } from './project-calls.js';

export type PushClient = ReturnType<typeof wirePushClient>;

export function wirePushClient({ database: sql, projects, clock, log, health }: Core) {
  const calls = new ProjectCalls({ sql, projects, clock, log });
  const clocks = new GatewayClocks(calls.troubles, clock, log);
  health.addNote('gateway clocks', () => clocks.note);
  return { calls, clocks };
}
