// The lists of the command line against a running scheduler: a table, CSV, ids alone, one JSON object; and what changes many asks first.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
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
let campaign: string;

beforeAll(async () => {
  world = await World.open();
  scheduler = await startScheduler(
    schedulerConfig(world.url, {
      CARILLON_MASTER_KEY: world.masterKey,
      CARILLON_ROLES: 'api',
      ALERT_ZONE_RULES_YEARS: '10',
    }),
    { clock: new SteppedClock(START + 60_000) },
  );
  await eventually(() => scheduler.dataSource.isInitialized);
  const token = (await scheduler.bearer(['admin'])).replace('Bearer ', '');
  env = { CARILLON_URL: scheduler.url, CARILLON_TOKEN: token };
});
afterAll(async () => {
  await scheduler.close();
  await world.close();
});
beforeEach(async () => {
  await world.clear();
  await world.project();
  campaign = await world.campaign({ state: 'running' });
});

const run = (...args: string[]) => carillon(args, env);
const failed = (chunk: number): Promise<string> =>
  world.send({
    campaign,
    chunk,
    state: 'failed',
    columns: { code: 'REQUEST_FAILED', ended_at: new Date(START) },
  });

describe('a list', () => {
  it('is a table for people, CSV, ids, or one object, and says where there is more', async () => {
    const ids = [await failed(0), await failed(1)];
    const table = await run('sends');
    expect(table).toMatchObject({ code: 0, stderr: '' });
    const [head = '', first = ''] = table.stdout.split('\n');
    expect(head).toMatch(/^ID +CAMPAIGN +ZONE +MODE +DUE +STATE +CODE +USERS +DEVICES$/);
    expect(first).toContain('REQUEST_FAILED');
    const csv = (await run('sends', '--csv')).stdout.split('\r\n');
    expect(csv[0]).toBe('id,campaign,zone,mode,due,state,code,users,devices');
    expect(csv[1]).toMatch(
      new RegExp(`^${ids[0]},${SERVICE}/.*,2027-03-01T00:00:00.000Z,failed,REQUEST_FAILED,`),
    );
    expect((await run('sends', '-q')).stdout).toBe(`${ids.join('\n')}\n`);
    const limited = await run('sends', '--limit', '1');
    expect(limited.stderr).toBe('there are more than these 1: --limit prints more\n');
    const json = JSON.parse((await run('sends', '--json', '--limit', '1')).stdout) as {
      items: { id: string }[];
      nextCursor: string | null;
    };
    expect(json).toEqual({
      items: [expect.objectContaining({ id: ids[0] })],
      nextCursor: expect.any(String),
    });
    expect((await run('sends', '--state', 'uncertain')).stdout).toBe('no such sends\n');
    expect(await run('sends', '--limit', '0')).toMatchObject({ code: 2 });
    expect(await run('sends', '--state', 'lost')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('?state'),
    });
  });

  it('is there for everything that an operator asks for', async () => {
    await failed(0);
    await world.send({ campaign, chunk: 1, state: 'uncertain', columns: { code: 'ANSWER_LOST' } });
    const shown: [args: string[], says: RegExp][] = [
      [['campaigns'], new RegExp(`^ID .*\n${campaign} .* running `)],
      [['campaigns', '--attention'], /some sends did not go out/],
      [['campaigns', 'plan', campaign], /^OCCURRENCE /],
      [['campaigns', 'report', campaign], /\nsends: .*1 failed, 1 uncertain\ndevices: /],
      [['campaigns', 'report', campaign, '--csv'], /^serviceId,campaignId,name,/],
      [['failures'], /\n1 +failed +REQUEST_FAILED .* may +--state failed --code REQUEST_FAILED --service /],
      [['uncertain'], /ANSWER_LOST/],
      [['retries'], /^no retries/],
      [['resolves'], /^no resolves/],
      [['rejections'], /^no such rejections/],
      [['projects'], new RegExp(`\n${SERVICE} +running `)],
      [['tokens'], /\n\S+ +admin-\S+ +admin +\*/],
      [['zones', '--like', 'seoul'], /\nAsia\/Seoul +\+09:00 +\d/],
      [['alerts'], /^no alerts/],
      [['audit'], /^nothing was done/],
    ];
    for (const [args, says] of shown) {
      const ended = await run(...args);
      expect([args, ended.code, ended.stderr]).toEqual([args, 0, '']);
      expect(ended.stdout).toMatch(says);
    }
  });
});

describe('a send', () => {
  it('is shown with its history and the calls made for it', async () => {
    const id = await failed(0);
    const { code, stdout } = await run('sends', 'show', id);
    expect(code).toBe(0);
    expect(stdout).toMatch(new RegExp(`^${id}: failed \\(REQUEST_FAILED\\)\nof ${SERVICE}/`));
    expect(stdout).toContain('history\n');
    expect(await run('sends', 'show', campaign)).toMatchObject({ code: 1 });
  });

  it('is resolved by an operator, who says exactly one thing', async () => {
    const id = await world.send({ campaign, state: 'uncertain' });
    expect(await run('sends', 'resolve', id)).toMatchObject({ code: 2 });
    expect(await run('sends', 'resolve', id, '--sent', '--not-sent')).toMatchObject({ code: 2 });
    const resolved = await run('sends', 'resolve', id, '--not-sent', '--reason', 'seen');
    expect(resolved).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\S+: failed /) as unknown });
    expect((await run('audit', '--action', 'send.resolve', '--csv')).stdout).toContain(
      `send.resolve,${SERVICE},${id}`,
    );
  });
});

describe('many sends', () => {
  it('are resolved only after a yes, and exactly those of the preview', async () => {
    await world.send({ campaign, state: 'uncertain' });
    const args = ['resolves', 'create', '--service', SERVICE, '--not-sent'];
    const preview = await run(...args, '--preview');
    expect(preview).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(
        /: ready\nfound: 1 send\nwould be resolved as confirmed-not-sent: 1 send\nNothing was changed\.\n$/,
      ) as unknown,
    });
    // Standard input is no terminal here: nobody can say yes.
    expect(await run(...args)).toMatchObject({
      code: 2,
      stderr: 'nobody can be asked here: add --yes\n',
    });
    const done = await run(...args, '--yes');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/: (resolving|done)\n/) as unknown });
    expect((await run('resolves', '-q')).stdout.split('\n').filter(Boolean)).toHaveLength(3);
    expect(await run('resolves', 'create', '--code', 'NONE_SUCH', '--sent', '--yes')).toMatchObject({
      code: 1,
      stdout: expect.stringContaining('found: 0 sends') as unknown,
    });
  });
});

describe('tokens', () => {
  it('are made, listed and revoked by HTTP', async () => {
    const made = await run(
      'tokens',
      'create',
      '--name',
      'shop',
      '--role',
      'analyst',
      '--service',
      SERVICE,
      '--json',
    );
    const { id, token } = JSON.parse(made.stdout) as { id: string; token: string };
    expect(await carillon(['campaigns'], { ...env, CARILLON_TOKEN: token })).toMatchObject({ code: 0 });
    expect((await run('tokens', '--csv')).stdout).toContain(`${id},shop,analyst,${SERVICE},`);
    expect(await run('tokens', 'revoke', id)).toMatchObject({ code: 0, stdout: `${id} is revoked\n` });
    await eventually(async () =>
      expect(await carillon(['campaigns'], { ...env, CARILLON_TOKEN: token })).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('CARILLON_TOKEN') as unknown,
      }),
    );
  });
});
