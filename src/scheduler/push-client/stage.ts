// Makes what all callers of gateways in this process share: calls, turns, blocks, places in flight, and the clocks of the gateways.
import type { Core } from '../core.js';
import { FoundExtensions } from './found-extensions.js';
import { GatewayClocks } from './gateway-clocks.js';
import { GatewaySilences, LOOK_EVERY_MS } from './gateway-silences.js';
import { gatewayMetrics } from './metrics.js';
import { ProjectCalls } from './project-calls.js';
import { UndiciPushApi } from './undici-push-api.js';

export type PushClient = ReturnType<typeof pushClientStage>;

export function pushClientStage({ config, database: sql, projects, clock, log }: Core) {
  const calls = new ProjectCalls({ sql, projects, clock, log });
  const clocks = new GatewayClocks(calls.troubles, clock, log);
  const found = new FoundExtensions({ sql, log });
  const silences = new GatewaySilences({ clock, log, calls });
  const pushApi = new UndiciPushApi(projects, clock, {
    ...config.push,
    corrected: (serviceId, offsetMs) => clocks.corrected(serviceId, offsetMs),
    offered: (project, offers) => found.seen(project, offers),
    silences,
  });
  return {
    calls,
    pushApi,
    loops: [{ name: 'gateways', runOnce: () => silences.runOnce(pushApi), idleMs: LOOK_EVERY_MS }],
    checks: [
      { name: 'push gateways', isNote: true, find: () => silences.finding(calls.blocks.inTrouble) },
      { name: 'gateway clocks', isNote: true, find: () => clocks.note },
    ],
    metrics: gatewayMetrics(silences),
  };
}
