// Without an endpoint nothing of OpenTelemetry is loaded by either service but the api, which prom-client requires by itself.
import { readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newMasterKey } from '../../../src/platform/secrets/sealed.js';
import { startCompiled } from '../../support/compiled.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';

/** OpenTelemetry's packages are CommonJS: what was loaded of them stands in the cache of require. */
const HOOK = `data:text/javascript,${encodeURIComponent(`
  import { createRequire } from 'node:module';
  import { writeFileSync } from 'node:fs';
  process.on('exit', () => writeFileSync(process.env.SPEC_LOADED, Object.keys(createRequire('/x.js').cache).join('\\n')));
`)}`;

let database: TestDatabase;
beforeAll(async () => {
  database = await cloneDatabase();
});
afterAll(() => database.drop());

/** Packages that the service had loaded by its end. */
async function loadedBy(service: string, env: Record<string, string>): Promise<string[]> {
  const file = join(tmpdir(), `loaded-${v7()}`);
  const program = startCompiled(`${service}/main.js`, {
    env: {
      DATABASE_URL: database.url,
      CARILLON_MASTER_KEY: newMasterKey('test'),
      MANAGEMENT_TOKEN: 'x'.repeat(16),
      ...Object.fromEntries(
        ['SCHEDULER', 'METRICS', 'PUSH', 'MANAGEMENT', 'PUSH_METRICS'].map((name) => [`${name}_PORT`, '0']),
      ),
      NODE_OPTIONS: `--import=${HOOK}`,
      SPEC_LOADED: file,
      ...env,
    },
  });
  await eventually(() => expect(program.stdout).toContain(' is up"'));
  program.process.kill('SIGTERM');
  expect(await program.ended).toMatchObject({ code: 0 });
  const loaded = (await readFile(file, 'utf8')).split('\n');
  await rm(file);
  expect(loaded.length).toBeGreaterThan(100);
  const packages = loaded.flatMap((path) => /node_modules\/(@opentelemetry\/[^/]+)\//.exec(path)?.[1] ?? []);
  return [...new Set(packages)].toSorted();
}

describe.each(['scheduler', 'push-service'])('the %s', (service) => {
  it('loads nothing of OpenTelemetry without an endpoint', async () => {
    expect(await loadedBy(service, {})).toEqual(['@opentelemetry/api']);
  });

  it('loads what exports spans with one, and drains all the same', async () => {
    const loaded = await loadedBy(service, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    expect(loaded).toContain('@opentelemetry/sdk-trace-base');
    expect(loaded).toContain('@opentelemetry/exporter-trace-otlp-http');
  });
});
