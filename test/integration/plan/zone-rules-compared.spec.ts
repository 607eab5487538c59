// carillon tz --compare and tz use: what another release of the zone rules would move of what is planned, and that it comes into force.
import { copyFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { policyDefaults } from '../../../src/scheduler/decide/timing/campaign-policy.js';
import { askedTimes } from '../../../src/scheduler/store/asked-time.store.js';
import {
  adoptZoneRules,
  mayPlanBy,
  zoneRulesInForce,
} from '../../../src/scheduler/store/zone-rules-in-force.store.js';
import { carillon } from '../../support/compiled.js';
import { PlanWorld, START, users } from '../../support/scheduler/plan-world.js';

const FIXTURE = fileURLToPath(new URL('../../vectors/tzdata-2026f', import.meta.url));
/** Made up: Vancouver goes by Chisinau's clock. */
const OTHER = mkdtempSync(join(tmpdir(), 'carillon-zones-'));
cpSync(FIXTURE, OTHER, { recursive: true });
copyFileSync(join(FIXTURE, 'Europe/Chisinau'), join(OTHER, 'America/Vancouver'));
const LOCAL = '2027-03-03T09:00';

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
  const delivery = { kind: 'wall', local: LOCAL, zone: 'America/Vancouver' } as const;
  await world.planned({ audience: users(2), delivery });
  await world.planned({
    audience: users(2),
    delivery,
    policy: { ...policyDefaults, dst: { gap: 'skip', overlap: 'second' } },
  });
  await world.planned({ audience: users(2), delivery: { ...delivery, zone: 'Europe/Chisinau' } });
  // Instants and what is over are no wall times to come.
  await world.planned({ audience: users(2), delivery: { kind: 'instant', at: START + 86_400_000 } });
}, 60_000);
afterAll(async () => {
  rmSync(OTHER, { recursive: true, force: true });
  await world.close();
});

it('reads each wall time that is still to come once for each policy, with its cells', async () => {
  expect(await askedTimes(world.dataSource, new Date(START))).toMatchObject([
    { zone: 'America/Vancouver', local: LOCAL, cells: 1, campaigns: 1 },
    { zone: 'America/Vancouver', local: LOCAL, cells: 1, campaigns: 1 },
    { zone: 'Europe/Chisinau', local: LOCAL, dst: { gap: 'forward', overlap: 'first' } },
  ]);
  expect(await askedTimes(world.dataSource, new Date(START + 4 * 86_400_000))).toEqual([]);
});

const env = (): Record<string, string> => ({
  DATABASE_URL: world.url,
  CARILLON_SANDBOX: 'true',
  CARILLON_CLOCK: `origin=${new Date(START).toISOString()},rate=1`,
});

it('lists what would move, in words and as JSON', async () => {
  const { code, stdout } = await carillon(['tz', '--compare', OTHER], env());
  expect(code).toBe(0);
  expect(stdout).toContain('3 wall times of planned cells, of which it would move 2');
  expect(stdout).toMatch(
    /America\/Vancouver 2027-03-03T09:00: 2027-03-03 1[67]:00Z → 2027-03-03 07:00Z, 1 cell of 1 campaign/,
  );
  const { compared } = JSON.parse((await carillon(['tz', '--compare', OTHER, '--json'], env())).stdout) as {
    compared: { version: string; moved: object[] };
  };
  expect(compared).toMatchObject({ version: '2026f', wallTimes: 3 });
  expect(compared.moved).toHaveLength(2);
}, 60_000);

it('prints the rules alone without a database, and refuses a folder without rules', async () => {
  const { code, stdout } = await carillon(['tz'], {});
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\S+ from \S+/)]);
  expect(await carillon(['tz', '--compare', '/nowhere'], env())).toMatchObject({ code: 2 });
}, 60_000);

it('puts older rules in force, which newer ones of a process leave alone until an admin lets them', async () => {
  const own = { ...env(), TZDATA_DIR: OTHER };
  const use = (...options: string[]) => carillon(['tz', 'use', ...options], own);
  await adoptZoneRules(world.dataSource, '2027a', START);
  expect(await adoptZoneRules(world.dataSource, '2026f', START)).toMatchObject({ version: '2027a' });

  const preview = await use('2026f', '--preview');
  expect(preview).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Nothing was changed.') as string,
  });
  expect(preview.stdout).toContain('This machine lacks one of the two versions');
  expect(await zoneRulesInForce(world.dataSource)).toMatchObject({ version: '2027a', chosen: false });

  expect(await use('2026f')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('Zone rules 2026f are in force (before: 2027a)') as string,
  });
  expect(await adoptZoneRules(world.dataSource, '2027a', START)).toMatchObject({
    version: '2026f',
    chosen: true,
    comparedAt: null,
  });
  expect(await mayPlanBy(world.dataSource, '2027a')).toBe(false);
  expect(await mayPlanBy(world.dataSource, '2026f')).toBe(true);
  expect(JSON.parse((await use('--bundled', '--json')).stdout)).toEqual({
    before: '2026f',
    version: '2026f',
    chosen: false,
    changed: true,
    moved: [],
  });
  expect(await adoptZoneRules(world.dataSource, '2027a', START)).toMatchObject({ version: '2027a' });
  expect(
    await world.rows(
      "select target, before, after from audit where action = 'zone-rules.use' order by before ->> 'version' desc",
    ),
  ).toMatchObject([
    {
      target: '2026f',
      before: { version: '2027a', chosen: false },
      after: { version: '2026f', chosen: true },
    },
    { target: '2026f', after: { chosen: false } },
  ]);
  for (const wrong of [[], ['2026f', '--bundled'], ['2026f', '--from', '/nowhere']])
    expect(await use(...wrong)).toMatchObject({ code: 2 });
}, 60_000);
