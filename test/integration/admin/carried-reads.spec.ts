// Reads that begin while a day is carried, and wait for its table: they find what is carried, as all others do.
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Database, Sql } from '../../../src/platform/database/database.js';
import { readOutcomes } from '../../../src/scheduler/store/send/outcome.store.js';
import { lookThrough } from '../../../src/scheduler/store/send/close.store.js';
import { SHARDS } from '../../../src/scheduler/store/hold-shards.js';
import { untilLockAwaited } from '../../support/lock-waiters.js';
import { dropDays } from '../../support/partitions.js';
import { PlanWorld } from '../../support/scheduler/plan-world.js';
import { retentionBuilders } from '../../support/scheduler/retention-builders.js';

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows('update project set max_to = 1');
  await dropDays(world.dataSource);
});
afterAll(() => world.close());
const { later, retire, campaign } = retentionBuilders(() => world);

/** What `read` finds that begins once the day of the sends is carried, but not committed. */
async function readWhileCarried<Found>(read: () => Promise<Found>, like: string): Promise<Found> {
  let reading: Promise<Found> | undefined;
  const watched: Database = {
    query: (text, parameters) => world.dataSource.query(text, parameters),
    transaction: (work, begin) =>
      world.dataSource.transaction((sql) => {
        const query: Sql['query'] = async <Row>(text: string, parameters: readonly unknown[] = []) => {
          const rows = await sql.query<Row>(text, parameters);
          if (text.includes('carry_day(') && parameters[0] === 'send') {
            reading = read();
            await untilLockAwaited((asked) => world.rows(asked), { like });
          }
          return rows;
        };
        return work({ query });
      }, begin),
  };
  await retire(watched);
  if (reading === undefined) throw new Error('nothing was carried');
  return reading;
}

it('the outcome of a send that is carried is published', async () => {
  await later(0);
  const { sends } = await campaign('uncertain', 'sent');
  await later(93);
  const ask = { rowsOfShard: 100, rows: 1_000, bytes: 1_000_000, ranges: 100 };
  const shards = Array.from({ length: SHARDS }, (_, shard) => shard);
  const page = await readWhileCarried(
    () => readOutcomes(world.dataSource, { ...ask, shards }),
    '%read_outcomes%',
  );
  expect(page.outcomes.filter(({ send }) => send === sends[0]).map(({ state }) => state)).toEqual([
    'uncertain',
  ]);
});

it('a campaign is not found to have ended whose open send is carried', async () => {
  await later(0);
  const { id, sends } = await campaign('scheduled', 'sent');
  await later(93);
  const [{ occurrence } = { occurrence: '' }] = await world.sends(id);
  const [page] = await readWhileCarried(
    () => lookThrough(world.dataSource, [{ campaign: id, occurrence, cell: null, chunk: null }], 100),
    '%look_through%',
  );
  expect(page).toMatchObject({ open: sends[0] });
});
