// How much a day that goes may ask of the database at once: what is too much to be carried stays, and says so; nothing that
// is there already is looked through under a lock; and what is tidied up behind it goes in pages.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Database, Sql } from '../../../src/platform/database/database.js';
import { currentDrop, stays } from '../../../src/scheduler/admin/retention/day-drop.store.js';
import { Retention } from '../../../src/scheduler/admin/retention/retention.js';
import { forgetCampaigns } from '../../../src/scheduler/admin/retention/retention.store.js';
import { retryCandidates } from '../../../src/scheduler/store/send/retry.store.js';
import { dropDays } from '../../support/partitions.js';
import { PlanWorld } from '../../support/scheduler/plan-world.js';
import { DAY_MS, KEPT, retentionBuilders } from '../../support/scheduler/retention-builders.js';

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows('update project set max_to = 1');
  await dropDays(world.dataSource);
});
afterAll(() => world.close());
const { now, ledger, later, rollUp, retire, campaign, kept } = retentionBuilders(() => world);
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

it('a day is taken two days after its time, and what ended by then goes with it', async () => {
  const { sends } = await campaign('sent', 'uncertain');
  await later(2);
  await world.lead(sends[1] ?? '', ['sent'], { target_count: 3, sent_count: 3 });
  const retention = new Retention(db(), world.clock, KEPT);
  await rollUp();
  await later(90.5);
  // The day before it, of which there is nothing.
  while ((await retention.runOnce()) > 0);
  expect(await kept(sends)).toHaveLength(2);
  await later(0.6);
  while ((await retention.runOnce()) > 0);
  expect(await kept(sends)).toEqual([]);
  expect(await world.count('send_old')).toBe(0);
});

it.each([
  ['raw bodies of campaigns that live', { carried: 1 }, /^2 or more/],
  ['bytes', { carriedBytes: 300 }, /^send: 2 rows, \d{3,} bytes/],
])('a day of too many %s stays whole, and says so', async (_, bound, said) => {
  const [one, two] = [await campaign('uncertain'), await campaign('uncertain')];
  const day = now().toISOString().slice(0, 10);
  await later(92);
  await retire(db(), bound);
  const waiting = await drop();
  expect(waiting).toMatchObject({ day, step: 'waits', detail: expect.stringMatching(said) });
  expect(waiting && stays(waiting)).toContain(`${day} stays, and the days after it: ${waiting?.detail}`);
  expect((await kept([...one.sends, ...two.sends])).map(({ place }) => place)).not.toContain('send_old');
  await later(1.1);
  await retire();
  expect(await drop()).toBeUndefined();
});

it('events of campaigns that live are bounded where none of their sends is', async () => {
  // Of the day before: their sends lie in a later one than their events.
  const made = [await world.accepted(), await world.accepted()];
  await later(1);
  await world.planDue.runOnce();
  await later(91.5);
  await retire(db(), { carried: 1 });
  expect(await drop()).toMatchObject({ step: 'waits', detail: expect.stringContaining('2 or more') });
  await later(1.1);
  await retire();
  expect(await world.rows('select id from event_old')).toHaveLength(made.length);
  await world.rows("update send set state = 'canceled', changes = changes + 1 where state = 'planned'");
  while ((await world.closeFinished.runOnce()) > 0);
});

it('carrying that would lock others out for over a second is undone, and tried again a day later', async () => {
  const { sends } = await campaign('sent', 'uncertain');
  await later(92);
  await world.rows(`create function slow() returns trigger language plpgsql as $$
    begin perform pg_sleep(3); return new; end $$`);
  await world.rows('create trigger slow before insert on send_old for each row execute function slow()');
  const began = performance.now();
  await retire();
  expect(performance.now() - began).toBeLessThan(10_000);
  const resting = await drop();
  expect(resting).toMatchObject({
    step: 'tables',
    detail: expect.stringMatching(/^send: 1 rows took over a second/),
  });
  expect(resting && stays(resting)).toContain('stays');
  expect(await kept(sends)).toHaveLength(2);
  expect(await ledger()).toMatchObject({ balanced: true, missing: [] });
  await world.rows('drop function slow() cascade');
  await retire();
  expect(await kept(sends)).toHaveLength(2);
  await later(1.1);
  await retire();
  expect((await kept(sends)).map(({ place }) => place)).toEqual(['send_old']);
  expect(await drop()).toBeUndefined();
  expect(await ledger()).toMatchObject({ balanced: true, missing: [] });
});

it('what was carried before is not looked through while everybody is locked out', async () => {
  await campaign('uncertain');
  await later(1);
  const { sends } = await campaign('uncertain');
  await later(90.5);
  await retire();
  expect(await world.count('send_old')).toBe(1);
  const scans: number[] = [];
  const watched = (sql: Sql): Sql => ({
    query: async <Row>(text: string, parameters?: readonly unknown[]) => {
      if (!text.includes('carry_day(') || parameters?.[0] !== 'send') return sql.query<Row>(text, parameters);
      // What the connection counted before is in it.
      const read = "select seq_scan::int as scans from pg_stat_xact_user_tables where relname = 'send_old'";
      const [before] = await sql.query<{ scans: number }>(read);
      const rows = await sql.query<Row>(text, parameters);
      const [after] = await sql.query<{ scans: number }>(read);
      scans.push((after?.scans ?? NaN) - (before?.scans ?? 0));
      return rows;
    },
  });
  await later(1);
  await retire({
    query: (text, parameters) => db().query(text, parameters),
    transaction: (work) => db().transaction((sql) => work(watched(sql))),
  });
  expect((await kept(sends)).map(({ place }) => place)).toEqual(['send_old']);
  expect(scans).toEqual([0]);
  const left = await world.rows("select conname from pg_constraint where conname like '%_old_ends'");
  expect(left).toEqual([]);
});

it('what is tidied up behind a day goes in pages, the day being gone, and holds up no retry of what was carried', async () => {
  const { sends } = await campaign('uncertain');
  for (let more = 0; more < 3; more += 1) await campaign('sent');
  const day = now().toISOString().slice(0, 10);
  const before = await ledger();
  await later(92);
  const seen = new Map<string, unknown>();
  const pages: number[] = [];
  const look = async (step: string): Promise<void> => {
    const { balanced, planned } = await ledger();
    const [carried] = await kept(sends);
    seen.set(step, { balanced, right: planned.right, place: carried?.place });
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
  const same = { balanced: true, right: before.planned.right };
  for (const step of ['sends', 'events', 'tables'])
    expect([step, seen.get(step)]).toEqual([step, { ...same, place: expect.stringMatching(/^send_2/) }]);
  for (const step of ['ended-sends', 'ended-events', 'revisions'])
    expect([step, seen.get(step)]).toEqual([step, { ...same, place: 'send_old' }]);
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
  expect([all > 4, left, await world.count('send_sum')]).toEqual([true, 0, 0]);
});
