// carillon login: a profile that only its owner may read, and which of a profile and the environment counts.
import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { carillon } from '../../support/compiled.js';
import { eventually } from '../../support/eventually.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

let database: TestDatabase;
let scheduler: TestScheduler;
let token: string;
const home = mkdtempSync(join(tmpdir(), 'login-'));
const file = join(home, '.config', 'carillon', 'config.json');

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url, { CARILLON_ROLES: 'api' }));
  await eventually(() => scheduler.dataSource.isInitialized);
  token = (await scheduler.bearer(['analyst'])).replace('Bearer ', '');
});
afterAll(async () => {
  await scheduler.close();
  await database.drop();
  rmSync(home, { recursive: true });
});

const run = (args: string[], more: Record<string, string> = {}, input?: string) =>
  carillon(args, { HOME: home, ...more }, input);

it('keeps nothing of a token that the scheduler refuses', async () => {
  expect(await run(['campaigns'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('"carillon login"') as unknown,
  });
  expect(await run(['login', '--url', scheduler.url], {}, 'wrong\n')).toMatchObject({ code: 1 });
  expect((await run(['profiles'])).stdout).toBe('no profiles: "carillon login" makes one\n');
});

it('keeps the token where only its owner may read it, and commands use it', async () => {
  const made = await run(['login', '--url', scheduler.url], {}, `${token}\n`);
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /^analyst-\S+: analyst for \* at http:.*\nprofile default is kept in /,
    ) as unknown,
  });
  expect(made.stdout).not.toContain(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({
    current: 'default',
    profiles: { default: { url: scheduler.url, token } },
  });
  expect(await run(['campaigns'])).toMatchObject({ code: 0, stdout: 'no such campaigns\n' });
});

it('is not mixed with the environment, which counts first', async () => {
  // A token must not go to an address that it was not made for.
  expect(await run(['campaigns'], { CARILLON_URL: scheduler.url })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('set CARILLON_TOKEN') as unknown,
  });
  expect(await run(['campaigns'], { CARILLON_URL: scheduler.url, CARILLON_TOKEN: 'wrong' })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('CARILLON_TOKEN') as unknown,
  });
});

it('has several, of which one is used', async () => {
  await run(['login', '--url', scheduler.url, '--profile', 'second'], {}, token);
  expect((await run(['profiles'])).stdout).toBe(`  default  ${scheduler.url}\n* second  ${scheduler.url}\n`);
  expect(await run(['profiles', 'use', 'default'])).toMatchObject({ code: 0 });
  expect(await run(['campaigns'], { CARILLON_PROFILE: 'second' })).toMatchObject({ code: 0 });
  expect(await run(['campaigns'], { CARILLON_PROFILE: 'third' })).toMatchObject({ code: 2 });
  expect(await run(['profiles', 'remove', 'second'])).toMatchObject({ code: 0 });
  expect((await run(['profiles', '--json'])).stdout).toContain('"default"');
});

it('is refused while others may read it', async () => {
  chmodSync(file, 0o644);
  expect(await run(['campaigns'])).toMatchObject({
    code: 2,
    stderr: `others may read ${file}, which has tokens: chmod 600 ${file}\n`,
  });
});
