// Retention removes days: which rows go with them, which sends stay open, and that every sum is the same before and after, wherever a
// process ends meanwhile.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { v7 } from 'uuid';
import { createDataSource, type Database, type Sql } from '../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { isDatabaseAway } from '../../../src/platform/database/database-away.js';
import { Retention } from '../../../src/scheduler/outcomes/retention/retention.js';
import { beginDrop, countEvents, endStep } from '../../../src/scheduler/outcomes/retention/day-drop.store.js';
import { CloseFinished } from '../../../src/scheduler/plan/close-finished.js';
import type { Ledger } from '../../../src/scheduler/report/ledger/ledger.store.js';
import { wholeReport, type WholeReport } from '../../support/scheduler/whole-report.js';
import { noSuchSend } from '../../../src/scheduler/store/read/send-view.store.js';
import {
  insertRetries,
  lockCampaignsOf,
  retryCandidates,
} from '../../../src/scheduler/store/send/retry.store.js';
import { untilLockAwaited } from '../../support/postgres/lock-waiters.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { dropDays } from '../../support/postgres/partitions.js';
import { PlanWorld, START } from '../../support/scheduler/plan-world.js';
import { DAY_MS, KEPT, retentionBuilders, type Bounds } from '../../support/scheduler/retention-builders.js';

let world: PlanWorld;
beforeAll(async () => {
  world = await PlanWorld.open();
  await world.rows('update project set max_to = 1');
  await dropDays(world.dataSource);
});
afterAll(() => world.close());

const { now, ledger, later, rollUp, retire, campaign, retryOf, retried, kept } = retentionBuilders(
  () => world,
);

describe('a day of sends', () => {
  let whole: { id: string; sends: string[] };
  let living: { id: string; sends: string[] };
  let retry: string;
  let tooEarly: Ledger;
  let before: { ledger: Ledger; whole: WholeReport; living: WholeReport };

  beforeAll(async () => {
    world.clock.set(START);
    await later(0);
    whole = await campaign('sent', 'sent', 'failed');
    living = await campaign('sent', 'uncertain', 'scheduled', 'failed');
    world.clock.advance(DAY_MS);
    retry = await retried(living.sends[3] ?? '');
    world.clock.advance(-DAY_MS);
    const rejected = v7({ msecs: START });
    await world.event(rejected, 'rejected');
    await world.insert('rejection', {
      id: v7({ msecs: START }),
      event: rejected,
      reasons: '[]',
      rejected_at: now(),
      body_hash: Buffer.from('h'),
    });
    before = {
      ledger: await ledger(),
      whole: await wholeReport(world.dataSource, whole.id),
      living: await wholeReport(world.dataSource, living.id),
    };
    await later(90);
    await retire();
    tooEarly = await ledger();
    await later(1.5);
    await retire();
  });

  it('stays until the last of it is 90 days ago', () => {
    expect(before.ledger).toMatchObject({
      balanced: true,
      events: { left: 3, gone: 0 },
      planned: { left: 7, gone: 0 },
    });
    expect(tooEarly).toEqual({ ...before.ledger, asOf: tooEarly.asOf });
  });

  it('goes with all that ended on it, and what is open stays with its recipients', async () => {
    expect(await kept(whole.sends)).toEqual([]);
    const [, uncertain, standing] = living.sends;
    // The failed send goes too, though the send that replaced it ended a day later.
    expect(await kept([...living.sends, retry])).toEqual([
      ...[uncertain, standing].map((id) => ({
        id,
        place: 'send_open',
        recipients: 'send_recipients_open',
      })),
      { id: retry, place: 'send_2027_03_02', recipients: null },
    ]);
    const left = await world.rows(
      `select relname from pg_class where relname ~ '2027_03_01$' and relkind = 'r'`,
    );
    // Events of outcomes wait to be published.
    expect(left).toEqual([{ relname: 'send_event_2027_03_01' }]);
  });

  it('leaves the ledger and the reports as they were, and they say what are sums', async () => {
    const { events, planned, missing, balanced } = await ledger();
    expect({ missing, balanced }).toEqual({ missing: [], balanced: true });
    expect(planned).toEqual({ ...before.ledger.planned, gone: 4 });
    // Also the raw body of the campaign that lives.
    expect(events).toEqual({ ...before.ledger.events, gone: 3 });
    const ended = await wholeReport(world.dataSource, whole.id);
    expect(ended.totals.gone).toBe(3);
    expect(before.whole.totals.lateness.immediate).toEqual({
      count: 3,
      p50Ms: 2_234,
      p95Ms: 3_234,
      p99Ms: 3_234,
      maxMs: 3_234,
    });
    // Each length is alone in its bucket, which keeps its longest length.
    expect(ended.totals).toEqual({ ...before.whole.totals, gone: 3 });
    expect(ended.rows).toEqual(before.whole.rows.map((row) => ({ ...row, gone: 3 })));
    const mixed = await wholeReport(world.dataSource, living.id);
    expect(mixed.totals).toEqual({ ...before.living.totals, lateness: mixed.totals.lateness, gone: 1 });
    expect(mixed.totals.lateness.immediate).toMatchObject({
      count: before.living.totals.lateness.immediate.count,
    });
  });

  it('answers 410 with its day, and 404 for what is of a kept one', async () => {
    const gone = await noSuchSend(world.dataSource, whole.sends[0] ?? '');
    expect(gone).toMatchObject({
      status: 410,
      code: 'PAST_RETENTION',
      extras: { details: { day: '2027-03-01' } },
    });
    expect(await noSuchSend(world.dataSource, v7({ msecs: world.clock.now() }))).toMatchObject({
      status: 404,
    });
  });

  it('takes raw bodies and rejections of the day along, and the revisions of what ended; what lives keeps its revision', async () => {
    expect(await world.rows('select campaign from revision')).toEqual([{ campaign: living.id }]);
    expect(await world.count('event')).toBe(0);
    expect(await world.count('rejection')).toBe(0);
  });

  it('keeps a send until 90 days after its end, and a campaign as long as its report', async () => {
    const [, uncertain = '', standing = ''] = living.sends;
    await world.lead(uncertain, ['sent'], { target_count: 3, sent_count: 3 });
    await world.lead(standing, ['sent'], { target_count: 9, sent_count: 9 });
    while ((await world.closeFinished.runOnce()) > 0);
    const sums = (await wholeReport(world.dataSource, living.id)).totals;
    await later(89);
    await retire();
    expect((await kept([uncertain, standing])).length).toBe(2);
    await later(3);
    await retire();
    expect(await kept([...living.sends, retry])).toEqual([]);
    expect((await wholeReport(world.dataSource, living.id)).totals).toMatchObject({
      sends: sums.sends,
      devices: sums.devices,
      modes: sums.modes,
      gone: 4,
    });
    expect(await ledger()).toMatchObject({
      balanced: true,
      missing: [],
      planned: { left: 7, gone: 7 },
      events: { left: 3, gone: 3 },
    });
    expect(await world.count('revision')).toBe(0);
    await later(1_100);
    await retire();
    for (const table of [
      'campaign',
      'campaign_history',
      'occurrence',
      'cell',
      'send_rollup',
      'length_rollup',
      'event_sum',
      'send',
      'event',
    ])
      expect([table, await world.count(table)]).toEqual([table, 0]);
    expect(await ledger()).toMatchObject({ balanced: true, planned: { left: 0 }, events: { left: 0 } });
  });
});

describe('an occurrence of which some days are gone', () => {
  // At the beginning of a day.
  beforeEach(() => later(2 - (world.clock.now() % DAY_MS) / DAY_MS));

  /** Its own sums, what the campaign's newest event says, and what the report adds up to: target and sent of each. */
  async function sums(id: string): Promise<number[][]> {
    const pair = 'target_count::float8 as target, sent_count::float8 as sent';
    const asked = [
      `select ${pair} from occurrence where campaign = $1`,
      `select ${pair} from send_event where campaign = $1 and target_count is not null order by sequence desc limit 1`,
    ];
    const found = await Promise.all(
      asked.map((text) => world.rows<{ target: number; sent: number }>(text, [id])),
    );
    const { devices } = (await wholeReport(world.dataSource, id)).totals;
    return [...found.flat(), devices].map(({ target, sent }) => [target, sent]);
  }

  const touch = (id: string): Promise<unknown> =>
    world.rows('insert into campaign_touched (campaign, published) values ($1, true)', [id]);

  it('keeps its sums, those of its campaign and of the report, whatever comes of what is left', async () => {
    const { id, sends } = await campaign('sent', 'sent', 'uncertain', 'failed');
    await later(1);
    await retried(sends[3] ?? '');
    await world.closeFinished.runOnce();
    expect(await sums(id)).toEqual([
      [9, 7],
      [9, 7],
      [9, 7],
    ]);
    await later(90.5);
    await retire();
    // One waits.
    expect(await kept(sends)).toHaveLength(1);
    await world.lead(sends[2] ?? '', ['sent'], { target_count: 3, sent_count: 1 });
    await world.closeFinished.runOnce();
    expect(await sums(id)).toEqual([
      [12, 8],
      [12, 8],
      [12, 8],
    ]);
    for (const days of [2, 90]) {
      await later(days);
      await retire();
      await touch(id);
      await world.closeFinished.runOnce();
      expect(await sums(id)).toEqual([
        [12, 8],
        [12, 8],
        [12, 8],
      ]);
    }
    expect(await kept(sends)).toEqual([]);
    expect(await ledger()).toMatchObject({ balanced: true, missing: [] });
  });

  it('keeps what an event was taken for as long as the event, however early its campaign ended', async () => {
    const [revised, paused] = [await campaign('sent'), await campaign('sent')];
    await later(1);
    const [revision, command] = [0, 0].map(() => v7({ msecs: world.clock.now() })) as [string, string];
    await world.event(revision, 'revision');
    await world.rows(
      `insert into revision (campaign, revision, event, state, data, request, taken_at)
       select campaign, 2, $2, 'superseded', data, request, $3 from revision where campaign = $1`,
      [revised.id, revision, now()],
    );
    await world.event(command, 'command');
    const given = { act: 'pause', given_at: now(), given_by: 'spec' };
    await world.insert('command', { id: command, event: command, campaign: paused.id, ...given });
    // The day of the campaigns goes; that of the two stays one more, also where reports are kept no longer than sends.
    const retention = new Retention(
      world.dataSource,
      world.clock,
      { ...KEPT, reportsMs: KEPT.sendsMs },
      { marginMs: 0 },
    );
    const taken = [
      'select from revision where event = any($1)',
      'select from command where event = any($1)',
      'select from event where id = any($1)',
    ];
    await rollUp();
    for (const [days, left] of [
      [90.5, [1, 1, 2]],
      [1, [0, 0, 0]],
    ] as const) {
      await later(days);
      while ((await retention.runOnce()) > 0);
      const rows = await Promise.all(taken.map((text) => world.rows(text, [[revision, command]])));
      expect(rows.map(({ length }) => length)).toEqual(left);
      expect(await ledger()).toMatchObject({ balanced: true, missing: [] });
    }
  });

  it('goes while the send that took its place outlives their day', async () => {
    const { id: campaignId, sends } = await campaign('failed', 'sent');
    const [of = ''] = sends;
    const id = await retryOf(of);
    await world.lead(id, ['sending', 'uncertain']);
    await later(91.5);
    await retire();
    expect((await kept([...sends, id])).map((send) => [send.id, send.place])).toEqual([[id, 'send_open']]);
    await world.lead(id, ['sent'], { answered_at: now(), request_id: 'r', target_count: 3, sent_count: 3 });
    expect((await retryCandidates(world.dataSource, [id]))[0]?.refusal).toBe('NOT_RETRYABLE');
    const { recoveredAfter } = (await wholeReport(world.dataSource, campaignId)).totals;
    expect(recoveredAfter).toMatchObject({ count: 1, maxMs: 91.5 * DAY_MS });
    await later(91);
    await retire();
    expect(await kept([id])).toEqual([]);
    expect(await ledger()).toMatchObject({ balanced: true, missing: [] });
  });

  it('is judged by what is gone too', async () => {
    const { id, sends } = await campaign('sent', 'uncertain');
    // The sends that are gone were handed off: a send that expires later does not make the campaign expired.
    const began = await world.rows('update occurrence set state = $2 where campaign = $1 returning 1', [
      id,
      'running',
    ]);
    expect(began).toHaveLength(1);
    await later(91.5);
    await retire();
    await world.lead(sends[1] ?? '', ['planned', 'expired']);
    await world.closeFinished.runOnce();
    expect(await world.rows('select state from occurrence where campaign = $1', [id])).toEqual([
      { state: 'completed' },
    ]);
  });

  it('is read again where rows become sums between two of its pages', async () => {
    const { id, sends } = await campaign('sent', 'sent', 'sent');
    // All days before it are gone.
    await later(90);
    await retire();
    await later(1.5);
    await touch(id);
    // Detaching waits for the closer, which reads the day, and gives up. From then on no new reader finds its rows.
    const impatient = createDataSource({
      ...world.dataSource.options,
      poolSize: 3,
      applicationName: 'impatient closer',
      limits: { statementMs: 700 },
    });
    await impatient.initialize();
    let places: unknown[] | undefined;
    const over = (sql: Sql): Sql => ({
      query: async <Row>(text: string, parameters?: readonly unknown[]) => {
        const rows = await sql.query<Row>(text, parameters);
        if (text.includes('sum_newest_sends') && places === undefined) {
          places = [];
          await retire(impatient);
          places = await kept(sends);
        }
        return rows;
      },
    });
    const { dataSource } = world;
    const meddled: Database = {
      query: (text, parameters) => dataSource.query(text, parameters),
      transaction: (work) => dataSource.transaction((sql) => work(over(sql))),
    };
    await new CloseFinished(meddled, world.clock, 2).runOnce();
    await impatient.destroy();
    expect(places).toEqual([]);
    expect(await sums(id)).toEqual([
      [9, 6],
      [9, 6],
      [9, 6],
    ]);
  });
});

describe('a process that ends', () => {
  let mortal: PooledDatabase;
  beforeAll(async () => {
    const { options } = world.dataSource;
    mortal = createDataSource({ ...options, poolSize: 3, applicationName: 'mortal' });
    await mortal.initialize();
  });
  afterAll(() => mortal.destroy());

  const CHANGES = /insert into|update day_drop|delete from|alter table|drop table/i;

  /** Connections that break before the nth statement that changes anything, as if the process were killed there. */
  function killedBefore(nth: number): { database: Database; isDead: () => boolean } {
    let changes = 0;
    const over = (sql: Sql): Sql => ({
      query: async (text, parameters) => {
        if (CHANGES.test(text)) changes += 1;
        if (changes >= nth) await sql.query('select pg_terminate_backend(pg_backend_pid())');
        return sql.query(text, parameters);
      },
    });
    return {
      database: {
        query: (text, parameters) => over(mortal).query(text, parameters),
        transaction: (work) => mortal.transaction((sql) => work(over(sql))),
      },
      isDead: () => changes >= nth,
    };
  }

  /** All that retiring a day writes. */
  async function progress(): Promise<unknown> {
    const [all] = await world.rows(
      `select (select json_agg(d) from day_drop d) as day, (select json_agg(s) from event_sum s) as events,
              (select json_agg(p order by name) from day_partition p) as partitions,
              (select json_agg(relname order by relname) from pg_class where relkind = 'r') as tables,
              (select json_agg(id order by id) from send) as kept, (select count(*) from revision) as revisions`,
    );
    return all;
  }

  const PAGES_OF_TWO: Bounds = { page: 2 };

  it('between any two of its changes loses nothing and counts nothing twice: the next one goes on', async () => {
    await later(2 - (world.clock.now() % DAY_MS) / DAY_MS);
    const living: string[] = [];
    for (const last of ['uncertain', 'sent'] as const) {
      await later(1);
      const { sends } = await campaign('sent', 'failed', 'sent', 'failed', last);
      await campaign('sent');
      await campaign('sent');
      if (last === 'uncertain') living.push(sends[4] ?? '');
    }
    const { planned, events } = await ledger();
    // All days before those two are gone.
    await later(89.5);
    await retire();
    await later(2);
    let steps = 0;
    // Each process comes one change further than the one before, though a transaction may be undone. The last one lives.
    for (let nth = 1, before = await progress(); steps < 60;) {
      const process = killedBefore(nth);
      const end = await retire(process.database, PAGES_OF_TWO).catch((error: unknown) => error);
      expect(end === undefined || isDatabaseAway(end)).toBe(true);
      if (!process.isDead()) break;
      const after = await progress();
      if (isDeepStrictEqual(before, after)) {
        nth += 1;
        continue;
      }
      [nth, before] = [1, after];
      steps += 1;
      const found = await ledger();
      expect(found).toMatchObject({ missing: [], balanced: true });
      expect(found.planned.right).toEqual(planned.right);
      expect(found.events.right).toEqual(events.right);
      expect((await kept(living)).map(({ id, recipients }) => [id, recipients !== null])).toEqual(
        living.map((id) => [id, true]),
      );
    }
    await retire(world.dataSource, PAGES_OF_TWO);
    expect((await ledger()).planned.right).toEqual(planned.right);
    // Two days, each in pages: four of sends and two of bodies.
    expect(steps).toBeGreaterThan(24);
    expect((await kept(living)).map(({ place }) => place)).toEqual(['send_open']);
    expect(await world.rows("select from day_drop where step <> 'done'")).toEqual([]);
  });
});

describe('while others are at work', () => {
  let impatient: PooledDatabase;
  beforeAll(async () => {
    impatient = createDataSource({
      url: world.url,
      schema: 'scheduler',
      migrations: [],
      poolSize: 3,
      applicationName: 'impatient',
      limits: { statementMs: 700 },
    });
    await impatient.initialize();
  });
  afterAll(() => impatient.destroy());
  beforeEach(async () => {
    await later(200);
    await retire();
  });

  /** What is from before the campaign's day is gone, so that its day is the next: two days later. */
  async function toTheDayBefore(): Promise<void> {
    await later(90);
    await retire();
  }

  it('a day goes under a long reader, who keeps it, while writers go on; the next round ends it', async () => {
    const { sends } = await campaign('sent');
    const { planned } = await ledger();
    await toTheDayBefore();
    const reader = await OwnConnection.beside(world.dataSource);
    await reader.query('begin isolation level repeatable read');
    const counted = 'select count(*)::int as sends from send';
    const [first] = await reader.query(counted);
    await later(2);
    const round = retire(impatient);
    // A plan meanwhile is written to another day of the same table.
    await campaign('sent');
    await round;
    const [going] = await world.rows<{ name: string }>('select name from day_partition where is_going');
    expect(await reader.query('select from send where id = $1', sends)).toHaveLength(1);
    // From now on nobody reads its rows: they are sums.
    expect([going?.name.replace(/_\d.*/, ''), await kept(sends)]).toEqual(['send', []]);
    expect(await ledger()).toMatchObject({
      balanced: true,
      missing: [],
      planned: { left: planned.left + 1 },
    });
    expect(await reader.query(counted)).toEqual([first]);
    await reader.release();
    await retire();
    expect(await world.rows('select from day_partition where is_going')).toEqual([]);
    expect(await world.rows("select from day_drop where step <> 'done'")).toEqual([]);
    expect(await world.rows('select from pg_class where relname = $1', [going?.name])).toEqual([]);
  });

  it('a day is counted once though a dump had it on its table, and was restored after it was counted', async () => {
    await campaign('sent');
    await toTheDayBefore();
    const reader = await OwnConnection.beside(world.dataSource);
    await reader.query('begin isolation level repeatable read');
    await reader.query('select from send');
    await later(1);
    // Its detaching takes too long; the next round goes on without it.
    await retire(impatient);
    await retire(impatient);
    await reader.release();
    expect(await world.rows("select from day_drop where step <> 'done'")).toEqual([]);
    const counted = await ledger();
    // pg_dump takes a day that is half detached for one of the table's.
    const [going] = await world.rows<{ name: string; low: Date; high: Date }>(
      'select name, low, high from day_partition where is_going',
    );
    await world.rows(`alter table send detach partition ${going?.name} finalize`);
    await world.rows("select attach_days('send', $1, $2, $3)", [going?.name, going?.low, going?.high]);
    await retire();
    expect(await world.rows('select from pg_class where relname = $1', [going?.name])).toEqual([]);
    expect(await ledger()).toEqual(counted);
  });

  it('a page that two processes count at once is counted once', async () => {
    const day = now().toISOString().slice(0, 10);
    for (let made = 0; made < 3; made += 1) await campaign('sent');
    await later(95);
    const begun = await beginDrop(world.dataSource, day);
    await endStep(world.dataSource, begun);
    const drop = { ...begun, step: 'events' as const };
    const other = await OwnConnection.beside(world.dataSource);
    await other.query('begin');
    await other.query('select from day_drop for update');
    const both = Promise.all([1, 2].map(() => countEvents(world.dataSource, drop, 2)));
    await untilLockAwaited((sql) => world.rows(sql), { atLeast: 2, like: '%day_drop%' });
    await other.query('commit');
    await other.release();
    expect(await both).toEqual(expect.arrayContaining([2, undefined]));
    expect(
      await world.rows('select sum(events)::int as events from event_sum where day = $1', [day]),
    ).toEqual([{ events: 2 }]);
    await retire();
    expect(await ledger()).toMatchObject({ balanced: true, missing: [] });
  });

  it('a send of a day that is going is not retried, and a retry that came before is counted', async () => {
    const { sends } = await campaign('failed', 'failed');
    const [first = '', second = ''] = sends;
    await later(92);
    const operator = await OwnConnection.beside(world.dataSource);
    await operator.query('begin');
    await lockCampaignsOf(operator, [first]);
    const round = retire();
    await untilLockAwaited((sql) => world.rows(sql), { atLeast: 1, like: '%pg_advisory_xact_lock(%' });
    const made = [{ of: first, id: v7({ msecs: world.clock.now() }), dueAt: world.clock.now() }];
    expect(await insertRetries(operator, made, world.clock.now(), 'spec')).toEqual(made);
    await operator.query('commit');
    await operator.release();
    await round;
    // The day may have had to wait for the retry to be rolled up.
    await retire();
    expect(await kept(sends)).toEqual([]);
    // Nobody but the retry counts for its chunk.
    expect((await kept(made.map(({ id }) => id))).length).toBe(1);
    expect(await ledger()).toMatchObject({ balanced: true, missing: [] });
    expect(await retryCandidates(world.dataSource, [second])).toEqual([]);
  });
});
