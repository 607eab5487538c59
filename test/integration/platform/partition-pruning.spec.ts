// PostgreSQL 18.4 itself ends by SIGSEGV where a statement that waited for a row of a partitioned table prunes partitions
// again as it runs. So nothing of ours prunes: no statement, no function, and several dispatchers side by side hold.
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDataSource, rowsOf } from '../../../src/platform/database.js';
import { claimDue, releaseClaims } from '../../../src/scheduler/store/claim.store.js';
import { testLength } from '../../support/lengths.js';
import { START, World } from '../dispatch/world.js';

const CLAIMING_MS = 1_000 * testLength('CLAIMING_SECONDS', { normal: 2, long: 60 });
const DISPATCHERS = 6;

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.project();
});
afterAll(() => world.close());

it('is off for every statement, those inside functions too', async () => {
  const [shown] = await rowsOf(world.dataSource, 'show enable_partition_pruning');
  expect(shown).toEqual({ enable_partition_pruning: 'off' });
  const functions = await rowsOf(
    world.dataSource,
    `select p.oid::regprocedure::text as name from pg_proc p, unnest(p.proconfig) as setting
      where setting like 'enable_partition_pruning=%'`,
  );
  expect(functions).toEqual([]);
  // As the planner sees it: a send is looked for in every partition.
  const plan = await rowsOf<{ 'QUERY PLAN': string }>(
    world.dataSource,
    'explain select from send where id = $1 for no key update',
    [v7()],
  );
  const [parts] = await rowsOf<{ n: number }>(
    world.dataSource,
    `select count(*)::int as n from pg_inherits where inhparent = 'send'::regclass`,
  );
  expect(plan.filter((line) => line['QUERY PLAN'].includes('Scan')).length).toBeGreaterThanOrEqual(
    parts?.n ?? 1,
  );
});

it('is not missed by dispatchers that claim side by side', async () => {
  const some = await world.send({ dueAt: START - 500 });
  await world.copies(some, 1_000);
  const end = performance.now() + CLAIMING_MS;
  const claimed = await Promise.all(
    Array.from({ length: DISPATCHERS }, async (_, dispatcher) => {
      const own = createDataSource({
        url: world.url,
        schema: 'scheduler',
        migrations: [],
        poolSize: 1,
        applicationName: 'claiming spec',
      });
      await own.initialize();
      let count = 0;
      for (let round = dispatcher; performance.now() < end; round += DISPATCHERS) {
        const [token, by] = [v7(), 'spec'];
        const ask = {
          now: START,
          upTo: START,
          by,
          token,
          leaseMs: 60_000,
          limit: 200,
          rooms: new Map(),
          room: 200,
        };
        count += (await claimDue(own, { ...ask, round })).length;
        await releaseClaims(own, [token], START, by);
      }
      await own.destroy();
      return count;
    }),
  );
  expect(Math.min(...claimed)).toBeGreaterThan(0);
}, 120_000);
