// How much the removal of a day asks of the database at once: its rows are counted in pages, nobody waits while it is detached from
// its table, and the rows left behind it are deleted in pages.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database } from '../../../src/platform/database/database.js';
import { currentDrop } from '../../../src/scheduler/outcomes/retention/day-drop.store.js';
import { Retention } from '../../../src/scheduler/outcomes/retention/retention.js';
import { forgetCampaigns } from '../../../src/scheduler/outcomes/retention/retention.store.js';
import { retryCandidates } from '../../../src/scheduler/store/send/retry.store.js';
import { eventually } from '../../support/eventually.js';
import { holdDays, inSnapshotOfSends } from '../../../src/scheduler/report/held-days.js';
import { lockWaiters, untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { dropDays } from '../../support/postgres/partitions.js';
import { PlanWorld } from '../../support/scheduler/plan-world.js';
import { DAY_MS, KEPT, retentionBuilders } from '../../support/scheduler/retention-builders.js';

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows('update project set max_to = 1');
  await dropDays(world.dataSource);
});
afterAll(() => world.close());
const { now, ledger, later, rollUp, retire, campaign, retried, kept } = retentionBuilders(() => world);
const db = (): Database => world.dataSource;
const drop = async () => currentDrop(db());

// At the beginning of a day, behind all that went before; what lived is ended.
beforeEach(async () => {
  const open = await world.rows<{ id: string }>(
    "select id from send where state in ('uncertain', 'scheduled') order by id",
  );
  for (const { id } of open) await world.lead(id, ['sent'], { target_count: 1, sent_count: 1 });
  while ((await world.closeFinished.runOnce()) > 0);
  await later(200 - (world.clock.now() % DAY_MS) / DAY_MS);
  await retire();
});

it('a day is taken two days after its time, and what ended later goes with the day of its end', async () => {
  const { sends } = await campaign('sent', 'uncertain');
  await later(2);
  await world.lead(sends[1] ?? '', ['sent'], { target_count: 3, sent_count: 3 });
  const retention = new Retention(db(), world.clock, KEPT);
  await rollUp();
  await later(90.5);
  // The day before it, which has no rows.
  while ((await retention.runOnce()) > 0);
  expect(await kept(sends)).toHaveLength(2);
  await later(0.6);
  while ((await retention.runOnce()) > 0);
  expect((await kept(sends)).map(({ id }) => id)).toEqual([sends[1]]);
  await later(2);
  await rollUp();
  while ((await retention.runOnce()) > 0);
  expect(await kept(sends)).toEqual([]);
});

it('nobody waits for a day that goes: sends are planned, end and are retried while its detaching waits for a reader', async () => {
  const { sends } = await campaign('sent', 'uncertain');
  await later(92);
  const reader = await OwnConnection.beside(world.dataSource);
  await reader.query('begin');
  await reader.query('lock table send in access share mode');
  const round = retire();
  const detaching = { like: 'alter table send detach%' };
  const rows = (sql: string): Promise<readonly unknown[]> => world.rows(sql);
  await untilLockAwaited(rows, detaching);
  const meanwhile = await campaign('sent', 'failed');
  const retry = await retried(meanwhile.sends[1] ?? '');
  expect(await ledger()).toMatchObject({ balanced: true, missing: [] });
  expect(await lockWaiters(rows, detaching)).toBe(1);
  await reader.release();
  await round;
  // The day had to wait for the retry to be rolled up.
  await retire();
  expect(await drop()).toBeUndefined();
  const left = await kept([...sends, ...meanwhile.sends, retry]);
  expect(new Set(left.map(({ id }) => id))).toEqual(new Set([sends[1], ...meanwhile.sends, retry]));
  expect(await ledger()).toMatchObject({ balanced: true, missing: [] });
});

it('a report that begins while a day goes does not hold it up, and none waits behind another', async () => {
  await campaign('sent');
  await later(92);
  const [oldest] = await world.rows<{ name: string }>(
    "select name from day_partition where parent = 'send' and isfinite(low) order by low limit 1",
  );
  const readers = [
    await OwnConnection.beside(world.dataSource),
    await OwnConnection.beside(world.dataSource),
  ] as const;
  const read = async (reader: OwnConnection): Promise<void> => {
    await reader.query('begin isolation level repeatable read, read only');
    await holdDays(reader);
    await reader.query('select count(*) from send');
  };
  await read(readers[0]);
  const round = retire();
  try {
    await untilLockAwaited((sql) => world.rows(sql), { like: 'alter table send detach%' });
    await read(readers[1]);
    await readers[0].release();
    await eventually(
      async () =>
        (await world.rows('select from day_partition where name = $1', [oldest?.name])).length === 0,
      { withinMs: 10_000 },
    );
    const third = await inSnapshotOfSends(db(), (sql) =>
      sql.query('select count(*)::int as sends from send'),
    );
    expect(third).toMatchObject([{ sends: expect.any(Number) }]);
  } finally {
    await Promise.all(readers.map((reader) => reader.release()));
    await round;
  }
  await retire();
});

it('what is tidied up behind a day goes in pages, the day being gone, and holds up no retry of what was open on it', async () => {
  const { sends } = await campaign('uncertain');
  const failed = await campaign('failed');
  for (let more = 0; more < 3; more += 1) await campaign('sent');
  const day = now().toISOString().slice(0, 10);
  const before = await ledger();
  await later(92);
  const seen = new Map<string, unknown>();
  const pages: number[] = [];
  const look = async (step: string): Promise<void> => {
    const { balanced, planned } = await ledger();
    const [open] = await kept(sends);
    const [ended] = await retryCandidates(db(), failed.sends);
    seen.set(step, { balanced, right: planned.right, place: open?.place, refusal: ended?.refusal });
    if (step !== 'revisions') return;
    await world.lead(sends[0] ?? '', ['failed']);
    const [candidate] = await retryCandidates(db(), sends);
    seen.set('refused', candidate?.refusal);
  };
  const watched: Database = {
    query: async <Row>(text: string, parameters?: readonly unknown[]) => {
      const rows = await db().query<Row>(text, parameters);
      const going = await drop();
      if (going?.day === day && !seen.has(going.step)) await look(going.step);
      return rows;
    },
    transaction: (work) =>
      db().transaction((sql) =>
        work({
          query: async <Row>(text: string, parameters?: readonly unknown[]) => {
            const rows = await sql.query<Row>(text, parameters);
            if (text.includes('from gone) as gone')) pages.push((rows[0] as { seen: number }).seen);
            return rows;
          },
        }),
      ),
  };
  await rollUp();
  const rounds = new Retention(watched, world.clock, KEPT, { marginMs: 0, page: 2 });
  while ((await rounds.runOnce()) > 0);
  expect(await drop()).toBeUndefined();
  const same = { balanced: true, right: before.planned.right, place: 'send_open' };
  // Soon only the rollups count it: it is not retried any more.
  for (const step of ['events', 'tables'])
    expect([step, seen.get(step)]).toEqual([step, { ...same, refusal: 'PAST_RETENTION' }]);
  for (const step of ['earlier-events', 'revisions'])
    expect([step, seen.get(step)]).toEqual([step, { ...same, refusal: undefined }]);
  expect(seen.get('refused')).toBeNull();
  expect(Math.max(...pages)).toBe(2);
  expect(await world.rows('select campaign from revision')).toHaveLength(1);
});

it('a report that is kept no longer goes in pages, of which none leaves the ledger unbalanced', async () => {
  await campaign('sent', 'sent', 'sent', 'sent', 'sent');
  await campaign('sent');
  await later(92);
  await retire();
  const endedBy = now();
  // One cell each; a campaign of more of them.
  await world.rows(
    `insert into cell select (jsonb_populate_record(k, jsonb_build_object('cell', k.cell || n, 'chunks', 0))).* from cell k, generate_series(1, 4) n`,
  );
  const cells = async (): Promise<number> => world.count('cell');
  const all = await cells();
  let left = all;
  for (let round = 0; (await forgetCampaigns(db(), endedBy, 2)) > 0; round += 1) {
    expect(round).toBeLessThan(50);
    const { planned } = await ledger();
    expect(planned.balanced).toBe(true);
    const remaining = await cells();
    expect(left - remaining).toBeLessThanOrEqual(2);
    left = remaining;
  }
  expect([all > 4, left, await world.count('send_rollup')]).toEqual([true, 0, 0]);
});
