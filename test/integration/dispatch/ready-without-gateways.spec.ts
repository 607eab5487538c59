// If sends cannot leave and it is no fault of this process, /health/ready has a note and stays 200: people need the API then.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startProjects, stopProjects } from '../../../src/scheduler/admin/projects/project-write.store.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { Gateway } from '../../support/scheduler/gateway.js';
import { SERVICE, World } from '../../support/scheduler/world.js';

interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly note?: true;
  readonly text: string;
}

let world: World;
let gateway: Gateway;
let scheduler: TestScheduler;

beforeAll(async () => {
  world = await World.open();
  gateway = await Gateway.open();
  scheduler = await startScheduler(
    schedulerConfig(world.url, { CARILLON_MASTER_KEY: world.masterKey, LOOP_IDLE_MS: '50' }),
  );
  await eventually(() => scheduler.dataSource.isInitialized);
  await world.project({ base_url: gateway.url });
});
afterAll(async () => {
  await scheduler.close();
  await world.close();
});

/** The check of this name once it has a text like `text`, with 200; and the metrics at that time. */
async function noted(name: string, text: RegExp): Promise<string> {
  const authorization = await scheduler.bearer(['analyst']);
  await eventually(
    async () => {
      const { status, body } = await scheduler.call('GET', '/health/ready', { authorization });
      const found = (body as { checks: Check[] }).checks.find((check) => check.name === name);
      expect({ status, found }).toEqual({
        status: 200,
        found: { name, ok: false, note: true, text: expect.stringMatching(text) },
      });
    },
    { withinMs: 15_000 },
  );
  const metrics = await (await fetch(scheduler.metricsUrl)).text();
  expect(metrics).toContain(`carillon_health_check{check="${name}"} 1`);
  expect(metrics).toContain(`carillon_health_note{check="${name}"} 1`);
  return metrics;
}

describe('/health/ready stays 200, with a note, where', () => {
  it('the gateway refuses the key', async () => {
    gateway.keys.clear();
    await world.send({ dueAt: Date.now() });
    expect(await noted('push projects', /shop-app: .*BAD_KEY/)).toContain('carillon_ready 1');
  });

  it('the project is stopped', async () => {
    await stopProjects(world.dataSource, { serviceIds: [SERVICE], who: 'spec', now: new Date() });
    expect(await noted('push projects', /shop-app: .*STOPPED/)).toContain('carillon_ready 1');
  });

  it('the only gateway that the process calls is away', async () => {
    await gateway.close();
    await startProjects(world.dataSource, { serviceIds: [SERVICE], who: 'spec', now: new Date() });
    for (let sends = 0; sends < 5; sends += 1) await world.send({ dueAt: Date.now() });
    expect(await noted('push gateways', /shop-app: its push gateway cannot be reached/)).toContain(
      'carillon_ready 1',
    );
  });
});
