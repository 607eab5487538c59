// One service's token asks for much at once and takes its time to read it: another's reports and lists are answered meanwhile.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { v7 } from 'uuid';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';

let database: TestDatabase;
let scheduler: TestScheduler;
let greedy: string;
let other: string;
/** A campaign of each. */
let campaigns: { greedy: string; other: string };
/** Cells: their report as CSV is larger than the buffers of the sockets and everything between. */
const CELLS = 60_000;

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url));
  await eventually(() => scheduler.dataSource.isInitialized);
  campaigns = { greedy: await campaignOf('greedy', CELLS), other: await campaignOf('other', 3) };
  greedy = await scheduler.bearer(['analyst'], ['greedy']);
  other = await scheduler.bearer(['analyst'], ['other']);
}, 120_000);

afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

/** One that has ended, with as many cells. */
async function campaignOf(serviceId: string, cells: number): Promise<string> {
  const id = v7();
  await scheduler.dataSource.transaction(async (sql) => {
    await sql.query("set local session_replication_role = 'replica'");
    await sql.query(
      `insert into campaign (id, service_id, campaign_id, event, state, newest_time, plan_at, state_at, state_by, created_at)
       values ($1, $2, 'many', $1, 'completed', now(), null, now(), 'spec', now())`,
      [id, serviceId],
    );
    await sql.query(
      `insert into cell (campaign, occurrence, cell, revision, zone, zone_source, target, intended_at, due_at, mode, mode_rule, chunks)
       select $1, 'once', 'UTC|' || n, 1, 'UTC', 'delivery', '{"type":"ALL"}', now(), now(), 'immediate', 'DUE_NOW', 0
         from generate_series(1, $2::int) as n`,
      [id, cells],
    );
  });
  return id;
}

interface Reader {
  readonly socket: Socket;
  readonly status: number;
}

/** Asks for a campaign's report as CSV, and reads its first bytes alone. */
async function slowReader(campaign: string, authorization: string): Promise<Reader> {
  const { hostname, port } = new URL(scheduler.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const path = `/v1/reports/campaigns/${campaign}?format=csv`;
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: ${authorization}\r\n\r\n`);
  const [head] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  return { socket, status: Number(head.toString('latin1').split(' ')[1]) };
}

it('keeps no turn for a reader that takes its time, and gives one service no more than its share', async () => {
  const first = await Promise.all([1, 2].map(() => slowReader(campaigns.greedy, greedy)));
  expect(first.map(({ status }) => status)).toEqual([200, 200]);
  const more = Array.from({ length: 12 }, () => slowReader(campaigns.greedy, greedy));
  const paths = [
    '/v1/reports/summary?groupBy=zone',
    '/v1/ledger',
    `/v1/reports/campaigns/${campaigns.other}`,
    `/v1/reports/campaigns/${campaigns.other}?format=csv`,
  ];
  const answers: number[] = [];
  for (const path of paths)
    answers.push((await scheduler.call('GET', path, { authorization: other })).status);
  expect(answers).toEqual([200, 200, 200, 200]);
  // Two of theirs are being written; of the others ten may wait, and are refused at last, because no turn came.
  const refused = await Promise.all(more);
  const statuses = refused.map(({ status }) => status).toSorted((one, another) => one - another);
  expect(statuses).toEqual([429, 429, ...Array.from({ length: 10 }, () => 503)]);
  for (const { socket } of [...first, ...refused]) socket.destroy();
});

it("answers another's list before those that one token asked for at once", async () => {
  const statuses: number[] = [];
  let begin = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const all = Array.from({ length: 190 }, async () => {
    const answer = await scheduler.call('GET', '/v1/campaigns?limit=500', { authorization: greedy });
    statuses.push(answer.status);
    begin();
    return answer;
  });
  await begun;
  const served = (): number => statuses.filter((status) => status === 200).length;
  const before = served();
  const answer = await scheduler.call('GET', '/v1/campaigns?limit=500', { authorization: other });
  expect(answer).toMatchObject({ status: 200, body: { items: [{ serviceId: 'other' }] } });
  const meanwhile = served() - before;
  const refused = (await Promise.all(all)).filter(({ status }) => status === 429);
  // In order of coming it would be after all of them. How many are served while it is on its way depends on the machine.
  expect(meanwhile).toBeLessThan((served() - before) / 2);
  // One is read and fifty may wait; some more where these were served before the last had come.
  expect(refused.length).toBeGreaterThan(100);
  expect(refused[0]).toMatchObject({
    body: {
      code: 'BUDGET_SPENT',
      detail: '50 lists of this token wait for their turn, the most that may: ask again in 10 s',
    },
  });
  expect(refused[0]?.headers.get('retry-after')).toBe('10');
});
