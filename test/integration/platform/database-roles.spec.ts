// The roles that docker-compose.yml gives the services: each makes and works in its own schema, whatever its password, and
// sees nothing of the other's.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { newMasterKey } from '../../../src/platform/secrets/sealed.js';
import { projectRoot } from '../../../tools/project.js';
import { startOwn } from '../../contract/push-service/support/target.js';
import { carillon } from '../../support/compiled.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { callJson, schedulerConfig, startScheduler } from '../../support/scheduler/running-scheduler.js';
import { eventually } from '../../support/eventually.js';

const PASSWORDS = { scheduler: `a'b"c/@:?#%25 \\`, push: '$ü{}' };
const ROLES = { scheduler: 'carillon_scheduler', push: 'carillon_push' };
let database: TestDatabase;
let owner: Client;

beforeAll(async () => {
  database = await cloneDatabase();
  owner = new Client({ connectionString: database.url });
  await owner.connect();
  await owner.query('drop schema if exists scheduler cascade');
  await owner.query('drop schema if exists push cascade');
  const script = readFileSync(join(projectRoot, 'deploy/postgres/roles.sh'), 'utf8');
  const [, sql = ''] = /<<'SQL'\n([^]*)\nSQL\n/.exec(script) ?? [];
  // As psql fills them in.
  const filled = sql
    .replaceAll(':"DBNAME"', owner.escapeIdentifier(owner.database ?? ''))
    .replaceAll(/:'(scheduler|push)_password'/g, (_, name: keyof typeof PASSWORDS) =>
      owner.escapeLiteral(PASSWORDS[name]),
    );
  await owner.query(filled);
});

afterAll(async () => {
  for (const role of Object.values(ROLES))
    await owner.query(`drop owned by ${role} cascade; drop role ${role}`);
  await owner.end();
  await database.drop();
});

/** DATABASE_URL and DATABASE_PASSWORD as docker-compose.yml gives them. */
function environmentOf(service: keyof typeof ROLES): { DATABASE_URL: string; DATABASE_PASSWORD: string } {
  const url = new URL(database.url);
  [url.username, url.password] = [ROLES[service], ''];
  return { DATABASE_URL: url.href, DATABASE_PASSWORD: PASSWORDS[service] };
}

it('lets both services start and work side by side', async () => {
  const { DATABASE_URL, DATABASE_PASSWORD } = environmentOf('scheduler');
  const env = { DATABASE_URL, DATABASE_PASSWORD, CARILLON_MASTER_KEY: newMasterKey('roles') };
  expect(await carillon(['migrate'], env)).toMatchObject({ code: 0, stderr: '' });
  const scheduler = await startScheduler(schedulerConfig(DATABASE_URL, { DATABASE_PASSWORD }));
  const push = await startOwn(environmentOf('push'));
  try {
    for (const url of [scheduler.url, push.managementUrl])
      await eventually(async () => expect((await callJson(`${url}/health/ready`, 'GET')).status).toBe(200));
  } finally {
    await Promise.all([scheduler.close(), push.close()]);
  }
});

it('keeps each out of the other’s schema, and of any but its own', async () => {
  for (const [service, role, other] of [
    ['scheduler', ROLES.scheduler, 'push.access_key'],
    ['push', ROLES.push, 'scheduler.project_key'],
  ] as const) {
    await owner.query(`set role ${role}`);
    await expect(owner.query(`select * from ${other}`)).rejects.toMatchObject({ code: '42501' });
    await expect(owner.query('create schema mine')).rejects.toMatchObject({ code: '42501' });
    await expect(owner.query('create table public.mine ()')).rejects.toMatchObject({ code: '42501' });
    await owner.query(`create table ${service}.mine (); drop table ${service}.mine`);
    await owner.query('reset role');
  }
});
