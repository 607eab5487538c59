// A rolling upgrade: the services of the last release (releases.json), built from its own commit, and today's, side by side
// on one database, both under load; then the old ones go. In `npm run test:long` alone.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Management } from '../../tools/demo/management.js';
import { callWithToken } from '../../tools/demo/push-client.js';
import { seed } from '../../tools/demo/seed.js';
import { House } from '../../tools/house.js';
import { runCarillon } from '../../tools/house/command.js';
import { Service } from '../../tools/house/service.js';
import { discardPostgres } from '../../tools/postgres.js';
import { freePort } from '../../tools/process/free-port.js';
import { buildRelease, isInThisClone, lastRelease } from '../../tools/releases.js';
import { eventually } from '../support/eventually.js';
import { testLength } from '../support/lengths.js';
import { randomOf } from '../support/seeded.js';
import { poolOf, SEEDED, SERVICE } from './fault-house.js';
import { Load, type Loaded } from './fault-load.js';

/** Campaigns of each of the four stages; none in `npm test`. */
const CAMPAIGNS = testLength('UPGRADE_CAMPAIGNS', { normal: 0, long: 60 });
const release = lastRelease();
const skipped = whySkipped();

function whySkipped(): string | undefined {
  if (release === undefined) return 'nothing is released yet (releases.json)';
  if (CAMPAIGNS === 0) return 'npm run test:long has it';
  if (!isInThisClone(release)) return `this clone has no commit ${release.commit} (releases.json)`;
  return undefined;
}

/** The service of today beside the old one of that name. */
interface Today {
  readonly scheduler: Service;
  readonly pushService: Service;
  readonly managementUrl: string;
}

let scratch: string;
let old: House;
let today: Today;
let loaded: { -readonly [Part in keyof Loaded]: Loaded[Part] };

beforeAll(async () => {
  if (skipped !== undefined || release === undefined) return;
  scratch = mkdtempSync(join(tmpdir(), 'carillon-upgrade-'));
  const root = join(scratch, 'old');
  mkdirSync(root);
  await buildRelease(release, root);
  old = await House.open({ stateDir: join(scratch, 'house'), say: () => undefined, root });
  const { endpoints } = old;
  await seed(endpoints, SEEDED, () => undefined);
  loaded = {
    endpoints,
    management: new Management(endpoints),
    scheduler: poolOf(endpoints.databaseUrl, 'scheduler'),
    push: poolOf(endpoints.databaseUrl, 'push'),
  };
  today = await newReplicas();
}, 900_000);

afterAll(async () => {
  if (skipped !== undefined) return;
  await Promise.all([today?.scheduler.stop(), today?.pushService.stop()]);
  await Promise.all([loaded?.scheduler.end(), loaded?.push.end()]);
  await old?.close();
  await discardPostgres(join(scratch, 'house', 'postgres'));
  rmSync(scratch, { recursive: true, force: true });
});

/** Today's two services, not started yet, with the settings of the old ones. */
async function newReplicas(): Promise<Today> {
  const stateDir = join(scratch, 'today');
  const [port, pushPort, managementPort] = [await freePort(), await freePort(), await freePort()];
  const { commandEnv } = old.services;
  const url = `http://127.0.0.1:${port}`;
  const managementUrl = `http://127.0.0.1:${managementPort}`;
  const scheduler = new Service({
    name: 'scheduler',
    stateDir,
    url,
    readyUrl: `${url}/health/ready`,
    env: { ...commandEnv, SCHEDULER_PORT: String(port), METRICS_PORT: '0' },
  });
  const pushService = new Service({
    name: 'push-service',
    stateDir,
    url: `http://127.0.0.1:${pushPort}`,
    readyUrl: `${managementUrl}/health/ready`,
    env: {
      DATABASE_URL: old.endpoints.databaseUrl,
      CARILLON_MASTER_KEY: commandEnv['CARILLON_MASTER_KEY'] ?? '',
      CARILLON_SANDBOX: 'true',
      MANAGEMENT_TOKEN: old.endpoints.tokens.management,
      PUSH_PORT: String(pushPort),
      MANAGEMENT_PORT: String(managementPort),
      PUSH_METRICS_PORT: '0',
    },
  });
  return { scheduler, pushService, managementUrl };
}

it('today’s replicas join those of the last release, and follow them: nothing lost, nothing twice', async (context) => {
  context.skip(skipped !== undefined, skipped);
  const load = new Load(loaded, randomOf(Number(process.env['CARILLON_TEST_SEED'] ?? 1)));
  const begin = (way: 'kafka' | 'http'): Promise<unknown> =>
    load.publish(CAMPAIGNS, { from: 2_000, to: 40_000 }, way);

  // Only the old services work, and are in the middle of it when the schema changes.
  await begin('http');
  await load.handedOff(1);
  await runCarillon({ args: ['migrate'], env: old.services.commandEnv });
  await Promise.all([today.scheduler.start(), today.pushService.start()]);
  await begin('kafka');

  // Side by side: events come by the new API, messages by the new interface; both push services deliver, whose they may be.
  loaded.endpoints = {
    ...loaded.endpoints,
    schedulerUrl: today.scheduler.url,
    pushUrl: today.pushService.url,
    managementUrl: today.managementUrl,
  };
  loaded.management = new Management(loaded.endpoints);
  await begin('http');
  const admin = { url: today.scheduler.url, token: loaded.endpoints.tokens.admin };
  await callWithToken(admin, 'PATCH', `/v1/projects/${SERVICE}`, { baseUrl: today.pushService.url });
  await load.handedOff(2 * CAMPAIGNS);

  await Promise.all([old.services.scheduler.stop(), old.services.pushService.stop()]);
  await begin('kafka');
  await load.over(180_000).catch(async (error: unknown) => {
    throw new Error(await load.standing(), { cause: error });
  });
  expect(load.dues.size).toBe(4 * CAMPAIGNS);
  expect(await load.wrongs({ uncertain: 0 })).toEqual([]);
  // Both releases had their part in it.
  const { rows } = await loaded.scheduler.query<{ senders: number }>(
    'select count(distinct fired_by)::int as senders from send',
  );
  expect(rows[0]?.senders).toBe(2);
  await eventually(() => runCarillon({ args: ['ledger'], env: old.services.commandEnv }), {
    withinMs: 60_000,
  });
}, 600_000);
