// PostgreSQL 18.4 itself ends by SIGSEGV where a statement that waited for a row of a partitioned table prunes partitions
// again as it runs. So nothing of ours does: reads that lock nothing prune, and writes that name the one day they are
// planned for; several dispatchers side by side hold.
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDataSource } from '../../../src/platform/database/database.js';
import { neverCalledRow } from '../../../src/scheduler/dispatch/answer-row.js';
import { recordAnswers } from '../../../src/scheduler/store/send/answer.store.js';
import { fireSends } from '../../../src/scheduler/store/send/fire.store.js';
import { readPlanned } from '../../../src/scheduler/store/send/read-work.store.js';
import { testLength } from '../../support/lengths.js';
import { roundOf } from '../../support/scheduler/read-ask.js';
import { START, World } from '../../support/scheduler/world.js';

const FIRING_MS = 1_000 * testLength('FIRING_SECONDS', { normal: 2, long: 60 });
const DISPATCHERS = 6;

let world: World;
beforeAll(async () => {
  world = await World.open();
  await world.project();
});
afterAll(() => world.close());

it('is off for every statement, those inside functions too, but for those that lock nothing or name one day', async () => {
  const [shown] = await world.dataSource.query('show enable_partition_pruning');
  expect(shown).toEqual({ enable_partition_pruning: 'off' });
  const functions = await world.dataSource.query<{ name: string }>(
    `select p.oid::regprocedure::text as name from pg_proc p, unnest(p.proconfig) as setting
      where setting like 'enable_partition_pruning=%'`,
  );
  const named = functions.map(({ name }) => name.replace(/\(.*/, '')).sort();
  const writes = [
    'claim_closes',
    'end_attempts',
    'end_late_attempt',
    'expire_held',
    'fire_repeat',
    'fire_sends',
    'mark_lost_fires',
    'move_sends',
    'move_with_ended',
    'note_cancels',
    'push.delete_outcomes',
    'push.sum_outcomes',
    'put_back_sends',
    'record_answers',
    'record_polls',
    'release_page',
    'rest_repeats',
    'revise_page',
    'send_keep_newest',
    'take_back_page',
    'take_back_sends',
  ];
  expect(named.filter((name) => writes.includes(name))).toEqual(writes);
  // Looks at what is due and at what is to be published: they wait for no row.
  expect(named.filter((name) => !writes.includes(name))).toEqual([
    'count_sends',
    'lacking_sends',
    'page_of_campaign',
    'push.devices_with_outcome',
    'push.handed_of',
    'push.outcomes_of',
    'read_log',
    'read_outcomes',
  ]);
  // As the planner sees it: a send is looked for in every partition.
  const plan = await world.dataSource.query<{ 'QUERY PLAN': string }>(
    'explain select from send where id = $1 for no key update',
    [v7()],
  );
  const [parts] = await world.dataSource.query<{ n: number }>(
    `select count(*)::int as n from pg_inherits where inhparent = 'send'::regclass`,
  );
  expect(plan.filter((line) => line['QUERY PLAN'].includes('Scan')).length).toBeGreaterThanOrEqual(
    parts?.n ?? 1,
  );
});

it('is not missed by dispatchers that fire side by side', async () => {
  const some = await world.send({ dueAt: START - 500 });
  await world.copies(some, 1_000);
  const end = performance.now() + FIRING_MS;
  // Of what several fire at once one wins each, and all but it have waited.
  let putBack = 0;
  const read = await Promise.all(
    Array.from({ length: DISPATCHERS }, async (_, dispatcher) => {
      const own = createDataSource({
        url: world.url,
        schema: 'scheduler',
        migrations: [],
        poolSize: 1,
        applicationName: 'firing spec',
      });
      await own.initialize();
      let count = 0;
      const replica = v7();
      for (let round = dispatcher; performance.now() < end; round += DISPATCHERS) {
        const due = await readPlanned(own, roundOf({ upTo: START, limit: 200, room: 200, round }));
        const orders = due.map(({ id, revision, attempts }) => ({
          id,
          revision,
          attempts,
          dueAt: null,
          at: START,
          mode: 'immediate' as const,
          modeRule: 'DUE_NOW' as const,
        }));
        const won = await fireSends(own, orders, { now: START, by: 'spec', replica });
        const why = { code: 'SPEC', detail: 'it is fired again' };
        const back = won.map(({ id, attempt }) => neverCalledRow(id, attempt, START - 500, why));
        count += due.length;
        putBack += await recordAnswers(own, back, 'spec', START);
      }
      await own.destroy();
      return count;
    }),
  );
  expect(Math.min(...read)).toBeGreaterThan(0);
  expect(putBack).toBeGreaterThan(0);
}, 120_000);
