// Where a campaign's trace is kept, and who finds it: by revision for what is published, by send and campaign for log lines.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { v7 } from 'uuid';
import type { Sql } from '../../../src/platform/database/database.js';
import { OutcomeTraces } from '../../../src/scheduler/outcomes/publish/outcome-traces.js';
import { traceOfCampaign, traceOfSend } from '../../../src/scheduler/store/trace.store.js';
import { fromKafka, IntakeWorld, scheduled } from '../../support/scheduler/intake-world.js';
import { World } from '../../support/scheduler/world.js';

const trace = { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01', tracestate: 'a=1' };

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(() => world.clear());

it('is found by send and by campaign; nobody waits for it, nor fails by it', async () => {
  await world.project({});
  const send = await world.send();
  const campaign = await campaignOf(send);
  expect(await traceOfSend(world.dataSource, send)).toBeUndefined();
  await world.dataSource.query(`update revision set data = data || $1`, [JSON.stringify({ trace })]);
  expect(await traceOfSend(world.dataSource, send)).toEqual(trace);
  expect(await traceOfCampaign(world.dataSource, campaign)).toEqual(trace);
  expect(await traceOfSend(world.dataSource, v7())).toBeUndefined();
  expect(await traceOfCampaign(world.dataSource, v7())).toBeUndefined();
  const away: Sql = { query: () => Promise.reject(new Error('away')) };
  expect(await traceOfSend(away, send)).toBeUndefined();
});

it('is looked up once for a revision, with one statement for all of a page', async () => {
  await world.project({});
  const [first, second] = [await world.send(), await world.send()];
  const traced = await campaignOf(first);
  await world.dataSource.query(`update revision set data = data || $1 where campaign = $2`, [
    JSON.stringify({ trace }),
    traced,
  ]);
  const named = [
    { campaign: traced, revision: 1 },
    { campaign: await campaignOf(second), revision: 1 },
    { campaign: traced, revision: 1 },
    { campaign: v7(), revision: 1 },
  ];
  let statements = 0;
  const counted: Sql = {
    query: (...given) => {
      statements += 1;
      return world.dataSource.query(...given);
    },
  };
  const traces = new OutcomeTraces();
  for (let page = 0; page < 2; page += 1) {
    expect(await traces.of(counted, named)).toEqual([trace, undefined, trace, undefined]);
  }
  expect(statements).toBe(1);
});

it('takes no room where an event has none, and none in a row of a send', async () => {
  const intake = await IntakeWorld.open();
  try {
    const [plain, traced] = [scheduled('plain'), scheduled('traced', {}, { ...trace })];
    expect(await intake.outcomes([fromKafka(plain), fromKafka(traced)])).toEqual(['accepted', 'accepted']);
    const rows = await intake.rows(
      `select c.campaign_id as id, r.data ? 'trace' as has, r.data->'trace' as trace, r.request ? 'trace' as "inRequest"
         from revision r join campaign c on c.id = r.campaign order by 1`,
    );
    expect(rows).toEqual([
      { id: 'plain', has: false, trace: null, inRequest: false },
      { id: 'traced', has: true, trace, inRequest: false },
    ]);
    const columns = await intake.rows(
      `select column_name as name from information_schema.columns where column_name like '%trace%' and table_schema = 'scheduler'`,
    );
    expect(columns).toEqual([]);
  } finally {
    await intake.close();
  }
});

async function campaignOf(send: string): Promise<string> {
  const [row] = await world.dataSource.query<{ campaign: string }>(
    'select campaign from send where id = $1',
    [send],
  );
  return row?.campaign ?? '';
}
