// What a gateway offers is found by the answers to signed requests, and used unless the project switches it off.
import { v7 } from 'uuid';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import { patchProject } from '../../../src/scheduler/admin/projects/project-write.store.js';
import { CheckGateway } from '../../../src/scheduler/admin/projects/check-gateway.js';
import { FoundExtensions } from '../../../src/scheduler/push-client/found-extensions.js';
import { UndiciPushApi } from '../../../src/scheduler/push-client/undici-push-api.js';
import { eventually } from '../../support/eventually.js';
import { failure, Gateway, json, reset } from '../../support/scheduler/gateway.js';
import { rigOf, type Rig } from '../../support/scheduler/rig.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

const clock = new SteppedClock(START);
let world: World;
let gateway: Gateway;
let rig: Rig;
let pushApi: UndiciPushApi;
/** Statements that wrote what was found. */
let writes: number;

beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  gateway = await Gateway.open();
  gateway.skewMs = clock.now() - Date.now();
  gateway.extensions = ['idempotency-key', 'result-breakdown'];
  gateway.answer = failure(404, '300');
  await world.project({ base_url: gateway.url });
  rig = rigOf(world, clock);
  writes = 0;
  const sql = {
    query: (<Row>(text: string, parameters?: readonly unknown[]) => {
      writes += 1;
      return world.dataSource.query<Row>(text, parameters);
    }) as typeof world.dataSource.query,
  };
  const found = new FoundExtensions({ sql, log: pino({ level: 'silent' }) });
  const limits = { connectTimeoutMs: 5_000, timeoutMs: 10_000 };
  pushApi = new UndiciPushApi(rig.projects, clock, {
    ...limits,
    offered: (project, offers) => found.seen(project, offers),
  });
});
afterEach(async () => {
  await pushApi.close();
  await rig.stop();
  await gateway.close();
});

const ask = () => pushApi.result(SERVICE, v7());
const used = async () => (await rig.projects.fresh(SERVICE))?.extensions;
const switchOff = (extensionsOff: string[]) =>
  patchProject(world.dataSource, {
    serviceId: SERVICE,
    settings: { extensionsOff },
    now: new Date(clock.now()),
  });

describe('the extensions of a project', () => {
  it('are those that an answer names, written once', async () => {
    await Promise.all([ask(), ask(), ask()]);
    await eventually(async () => expect(await used()).toEqual(['idempotency-key', 'result-breakdown']));
    await ask();
    expect(writes).toBe(1);
  });

  it('change with the gateway', async () => {
    await ask();
    await eventually(async () => expect(await used()).toHaveLength(2));
    gateway.extensions = ['idempotency-key'];
    await ask();
    await eventually(async () => expect(await used()).toEqual(['idempotency-key']));
  });

  it('end with a good answer that names none', async () => {
    await ask();
    await eventually(async () => expect(await used()).toHaveLength(2));
    gateway.answer = (asked, response) => {
      response.removeHeader('x-carillon-extensions');
      return json(200, {})(asked, response);
    };
    await ask();
    await eventually(async () => expect(await used()).toEqual([]));
  });

  it.each([
    ['nothing', reset],
    [
      'a proxy in between',
      (_: unknown, response: Parameters<typeof reset>[1]) => {
        response.removeHeader('x-carillon-extensions');
        response.writeHead(502).end('<html>');
      },
    ],
  ])('stay where %s answers', async (_, answer) => {
    await ask();
    await eventually(async () => expect(await used()).toHaveLength(2));
    gateway.answer = answer;
    await ask();
    expect(await used()).toHaveLength(2);
    expect(writes).toBe(1);
  });

  it('are without what is switched off, and come back with the next answer after it is switched on', async () => {
    await ask();
    await eventually(async () => expect(await used()).toHaveLength(2));
    await switchOff(['result-breakdown']);
    expect(await used()).toEqual(['idempotency-key']);
    await ask();
    expect(await used()).toEqual(['idempotency-key']);
    await switchOff([]);
    expect(await used()).toEqual(['idempotency-key']);
    await ask();
    await eventually(async () => expect(await used()).toEqual(['idempotency-key', 'result-breakdown']));
  });

  it('are named by the check, with those that are switched off', async () => {
    await switchOff(['result-breakdown', 'target-timezone']);
    const project = await rig.projects.fresh(SERVICE);
    if (project === undefined) throw new Error('no project');
    const { ok, checks } = await new CheckGateway(pushApi, clock, rig.calls).check(project);
    expect(ok).toBe(true);
    expect(checks.find(({ name }) => name === 'extensions')?.text).toBe(
      'uses idempotency-key; switched off by extensionsOff: result-breakdown',
    );
  });
});
