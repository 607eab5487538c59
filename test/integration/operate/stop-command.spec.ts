// carillon projects show, stop and start, and carillon stop and start, against a running scheduler: what they print, and how they end.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { carillon } from '../../support/compiled.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { SERVICE, START, World } from '../../support/scheduler/world.js';

let world: World;
let scheduler: TestScheduler;
let env: Record<string, string>;

beforeAll(async () => {
  world = await World.open();
  scheduler = await startScheduler(schedulerConfig(world.url, { CARILLON_ROLES: 'api' }));
  await eventually(() => scheduler.dataSource.isInitialized);
  const token = (await scheduler.bearer(['operator'], [SERVICE])).replace('Bearer ', '');
  env = { CARILLON_URL: scheduler.url, CARILLON_TOKEN: token };
});
afterAll(async () => {
  await scheduler.close();
  await world.close();
});
beforeEach(async () => {
  await world.clear();
  await world.project();
});

const run = (...args: string[]) => carillon(args, env);

it('says what is held and what is still delivered, and changes nothing for a preview', async () => {
  const campaign = await world.campaign({ state: 'running' });
  await world.send({ campaign });
  await world.send({ campaign, chunk: 1, state: 'reserved', dueAt: START + 3_600_000 });
  const counts =
    '  held: 1 send\n  still delivered: 1 reservation at the push service, the next at 2027-03-01 01:00Z\n';
  expect(await run('projects', 'stop', SERVICE, '--preview')).toMatchObject({
    code: 0,
    stdout: `${SERVICE} would be stopped.\n${counts}Nothing was changed.\n`,
  });
  expect((await run('projects', 'stop', SERVICE, '--reason', 'wrong prices')).stdout).toBe(
    `${SERVICE} is stopped.\n${counts}`,
  );
  const shown = (await run('projects', 'show', SERVICE)).stdout;
  expect(shown).toMatch(
    /: blocked, STOPPED \(wrong prices\), until somebody starts it\nstopped by token:operator/,
  );
  expect(shown).toContain(counts);
  const recalled = await run('projects', 'stop', SERVICE, '--recall');
  expect(recalled.stdout).toContain('  asked back: 1 reservation at the push service');
  expect((await run('projects', 'show', SERVICE)).stdout).toMatch(
    /\nstopped with a recall by token:operator/,
  );
  expect((await run('projects', 'start', SERVICE)).stdout).toContain(`${SERVICE} is started.`);
  expect((await run('projects', 'show', SERVICE)).stdout).toContain(': not blocked');
});

it('stops and starts all projects of the token', async () => {
  await world.project({ service_id: 'other' });
  const stopped = await run('stop', '--reason', 'incident', '--json');
  expect(JSON.parse(stopped.stdout)).toMatchObject({
    projects: [{ serviceId: SERVICE, blocked: { code: 'STOPPED', detail: 'incident' }, held: 0 }],
  });
  expect((await run('start')).stdout).toContain(`${SERVICE} is started.`);
  expect((await run('start')).stdout).toContain(`${SERVICE} was not blocked.`);
  expect(await run('projects', 'stop', 'other')).toMatchObject({ code: 1 });
});
