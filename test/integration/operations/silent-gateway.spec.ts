// A gateway that takes connections and never answers: after 15 s it is unreachable in health, status, metrics and alerts alike, and
// once it answers all four say so.
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Status } from '../../../src/scheduler/alerts/status/status.js';
import { eventually } from '../../support/eventually.js';
import { Gateway } from '../../support/scheduler/gateway.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { SERVICE, World } from '../../support/scheduler/world.js';

const UNREACHABLE_MS = 15_000;
/** What a busy machine, the loop and the shared reading may add. */
const PATIENCE = { withinMs: UNREACHABLE_MS + 30_000 };

let world: World;
let scheduler: TestScheduler;
let silent: Server;
let gateway: Gateway | undefined;
let authorization: string;
const sockets = new Set<Socket>();

beforeAll(async () => {
  world = await World.open();
  silent = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined).resume();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  scheduler = await startScheduler(
    schedulerConfig(world.url, {
      CARILLON_MASTER_KEY: world.masterKey,
      LOOP_IDLE_MS: '50',
      ALERT_QUIET_SECONDS: '10',
      ALERT_LATE_SECONDS: '86400',
      ALERT_ZONE_RULES_YEARS: '10',
    }),
  );
  await eventually(() => scheduler.dataSource.isInitialized);
  authorization = await scheduler.bearer(['admin']);
});
afterAll(async () => {
  await scheduler.close();
  await gateway?.close();
  await world.close();
});

async function seen(): Promise<Readonly<Record<'health' | 'status' | 'need' | 'metric' | 'alert', unknown>>> {
  const get = async (path: string) => (await scheduler.call('GET', path, { authorization })).body;
  const { checks } = (await get('/health/ready')) as { checks: { name: string; text: string }[] };
  const { projects, needs } = (await get('/v1/status')) as Status;
  const { items } = (await get('/v1/alerts?state=open')) as { items: { cause: string }[] };
  const metrics = await (await fetch(scheduler.metricsUrl)).text();
  return {
    health: checks.find(({ name }) => name === 'push gateways')?.text,
    status: projects[0]?.state,
    need: needs.map(({ cause }) => cause),
    metric: /carillon_project_trouble_processes.*GATEWAY_UNREACHABLE"\} (\d)/.exec(metrics)?.[1],
    alert: items.map(({ cause }) => cause),
  };
}

it('is unreachable after 15 s by one send alone, and is shown as well once it answers', async () => {
  const { port } = silent.address() as AddressInfo;
  await world.project({ base_url: `http://127.0.0.1:${port}` });
  const began = performance.now();
  await world.send({ dueAt: Date.now() });
  const ofSend = sockets.size;
  await eventually(() => sockets.size > ofSend);
  await eventually(async () => {
    expect(await seen()).toEqual({
      health: `${SERVICE}: its push gateway cannot be reached; its sends wait`,
      status: 'unreachable',
      need: ['GATEWAY_UNREACHABLE'],
      metric: '1',
      alert: ['GATEWAY_UNREACHABLE'],
    });
  }, PATIENCE);
  expect(performance.now() - began).toBeGreaterThan(UNREACHABLE_MS);

  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => silent.close(resolve));
  gateway = await Gateway.open(port);
  await eventually(async () => {
    expect(await seen()).toEqual({
      health: 'ok',
      status: 'running',
      need: [],
      metric: undefined,
      alert: [],
    });
  }, PATIENCE);
});
