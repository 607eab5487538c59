// An old replica's statements in today's schema: a migration that breaks one of them breaks a rolling upgrade.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createDataSource } from '../../src/platform/database/database.js';
import type { PooledDatabase } from '../../src/platform/database/pooled-database.js';
import { isInThisClone, lastRelease, releasedFiles } from '../../tools/releases.js';
import { projectRoot } from '../../tools/project.js';
import { brokenBy, readReleased } from '../../tools/schema/released-statements.js';
import { SERVICE_SCHEMAS } from '../../tools/schema/services.js';
import { cloneDatabase, type TestDatabase } from '../support/database.js';

let database: TestDatabase;
const sources = new Map<string, PooledDatabase>();

beforeAll(async () => {
  database = await cloneDatabase();
  for (const { service, schema } of SERVICE_SCHEMAS) {
    const options = { url: database.url, schema, migrations: [], poolSize: 1, applicationName: 'upgrades' };
    sources.set(service, createDataSource(options));
  }
});
afterAll(async () => {
  for (const source of sources.values()) await source.destroy();
  await database.drop();
});

function sourceOf(service: string): PooledDatabase {
  return sources.get(service) as PooledDatabase;
}

it('the migrations of the last release stand still: a database that has run them is as one that runs them now', (context) => {
  const release = lastRelease();
  context.skip(!isInThisClone(release), `this clone has no commit ${release.commit} (releases.json)`);
  const released = [...releasedFiles(release, 'migrations')].filter(([name]) => !name.endsWith('/index.ts'));
  const changed = released.filter(([name, text]) => {
    const file = join(projectRoot, name);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
  expect(released.length).toBeGreaterThan(5);
  expect(changed.map(([name]) => name)).toEqual([]);
});

describe.each(SERVICE_SCHEMAS)('a replica of the last release of the $service', ({ service }) => {
  it('is answered as it was by today’s schema', async () => {
    const released = readReleased(service);
    expect(released.length).toBeGreaterThan(50);
    expect(await brokenBy(sourceOf(service), released)).toEqual([]);
  });
});

// The rule broken, last of all: each stays so.
it.each([
  [
    'a column that is gone',
    'push-service',
    'alter table service rename column quota_per_day to quota',
    /quota_per_day/,
  ],
  [
    'a column of another type',
    'push-service',
    'alter table service alter column rate_per_second type bigint',
    /bigint/,
  ],
  [
    'a table that is gone',
    'scheduler',
    'alter table api_token rename to token',
    /"api_token" does not exist/,
  ],
  [
    'a function of other parameters',
    'scheduler',
    'alter function tell_campaign rename to tell_campaign_of_old',
    /tell_campaign\(.*does not exist/,
  ],
])('finds %s', async (_, service, change, told) => {
  const sql = sourceOf(service);
  await sql.query(change);
  expect((await brokenBy(sql, readReleased(service))).join('\n')).toMatch(told);
});
