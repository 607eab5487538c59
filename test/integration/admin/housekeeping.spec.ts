// Housekeeping makes partitions ahead, deletes rows after 30 days, and seals under a master key that replaces another.
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schedulerMigrations } from '../../../migrations/scheduler/index.js';
import { SteppedClock } from '../../../src/platform/clock.js';
import { createDataSource } from '../../../src/platform/database/database.js';
import { Secret } from '../../../src/platform/env.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import { Sealer } from '../../../src/platform/secrets/sealed.js';
import { daysAhead, ensurePartitions } from '../../../src/platform/database/day-partitions.js';
import { Housekeeping } from '../../../src/scheduler/admin/housekeeping/housekeeping.js';
import { Retention } from '../../../src/scheduler/outcomes/retention/retention.js';
import { ProjectStore } from '../../../src/scheduler/store/project.store.js';
import {
  insertProject,
  putApiKey,
  putKey,
} from '../../../src/scheduler/admin/projects/project-write.store.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import { dropDays } from '../../support/postgres/partitions.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';

const masterKey = (id: string): string => `${id}:${randomBytes(32).toString('base64')}`;
const [OLD, NEW, STRANGE] = [masterKey('old'), masterKey('new'), masterKey('strange')];
const sealerOf = (...keys: string[]): Sealer => new Sealer(new Secret(keys.join(',')));

const clock = new SteppedClock('2031-01-31T23:00:00Z');
let database: TestDatabase;
let sql: PooledDatabase;

beforeAll(async () => {
  database = await cloneDatabase();
  sql = createDataSource({
    url: database.url,
    schema: 'scheduler',
    migrations: schedulerMigrations,
    poolSize: 3,
    applicationName: 'spec',
  });
  await sql.initialize();
  await dropDays(sql);
});

afterAll(async () => {
  await sql.destroy();
  await database.drop();
});

const DAY_MS = 86_400_000;

describe('housekeeping', () => {
  it('makes the partitions of yesterday, today and the next three days, of every table, once', async () => {
    const housekeeping = new Housekeeping(sql, sealerOf(OLD), clock, DAY_MS);
    await Promise.all([housekeeping.runOnce(), housekeeping.runOnce()]);
    const days = ['2031_01_30', '2031_01_31', '2031_02_01', '2031_02_02', '2031_02_03'];
    const rows = await sql.query<{ parent: string; names: string[] }>(
      `select i.inhparent::regclass::text as parent, array_agg(c.relname::text order by c.relname) as names
         from pg_class c join pg_inherits i on i.inhrelid = c.oid
        where i.inhparent in (select partrelid from pg_partitioned_table) and c.relname like '%2031%' group by 1 order by 1`,
    );
    expect(rows).toEqual(
      ['attempt', 'event', 'send', 'send_event', 'send_note', 'send_recipients'].map((parent) => ({
        parent,
        names: days.map((day) => `${parent}_${day}`),
      })),
    );
  });

  it('leaves room on the pages of open sends for what is fired, and on no others', async () => {
    const rows = await sql.query<{ name: string }>(
      `select c.relname as name from pg_class c where c.reloptions @> '{fillfactor=70}' order by 1`,
    );
    expect(rows.map(({ name }) => name)).toEqual(['send_open']);
  });

  it('makes the days of events ahead, and drops those that are published and a week old', async () => {
    const days = async (): Promise<string[]> => {
      const rows = await sql.query<{ name: string }>(
        `select c.relname as name from pg_class c join pg_inherits i on i.inhrelid = c.oid
          where i.inhparent = 'send_event'::regclass and c.relname like 'send_event_2032%' order by 1`,
      );
      return rows.map(({ name }) => name.replace('send_event_2032_', ''));
    };
    const later = new SteppedClock('2032-05-30T12:00:00Z');
    const kept = { sendsMs: 10_000 * DAY_MS, reportsMs: 10_000 * DAY_MS };
    const round = async () => {
      await new Housekeeping(sql, sealerOf(OLD), later, DAY_MS).runOnce();
      return new Retention(sql, later, kept).runOnce();
    };
    await round();
    expect(await days()).toEqual(['05_29', '05_30', '05_31', '06_01', '06_02']);
    const insertEvent = `insert into send_event (position, at, send, sequence, shard, to_state)
                  values (event_position(0::smallint), $1, gen_random_uuid(), 2, 0, 'sent') returning tableoid::regclass::text as place`;
    const [row] = await sql.query<{ place: string }>(insertEvent, [new Date('2032-05-31T23:59:59Z')]);
    expect(row?.place).toBe('send_event_2032_05_31');
    // From before the oldest day.
    await sql.query(insertEvent, [new Date('2026-05-01T00:00:00Z')]);
    later.set(Date.parse('2032-06-09T00:00:00Z'));
    await round();
    // Something of the 31st is not published yet; the 2nd is only partly a week old.
    expect(await days()).toEqual(['05_31', '06_02', '06_08', '06_09', '06_10', '06_11', '06_12']);
    const [{ left } = { left: 0 }] = await sql.query<{ left: number }>(
      'select count(*)::int as left from send_event',
    );
    expect(left).toBe(2);
    await sql.query(
      `update outcome_cursor set done = done + int8multirange(int8range(null, 2, '[]')) where shard = 0 and consumer = 'publish'`,
    );
    // Nor does it go before it is rolled up and streamed.
    expect(await round()).toBe(0);
    expect(await days()).toContain('05_31');
    await sql.query(
      `update outcome_cursor set done = done + int8multirange(int8range(null, 2, '[]')) where shard = 0 and consumer in ('rollup', 'stream')`,
    );
    expect(await round()).toBe(1);
    expect(await days()).toEqual(['06_02', '06_08', '06_09', '06_10', '06_11', '06_12']);
  });

  it('makes days while somebody reads all of a table for long, and while others write: nobody waits', async () => {
    const reader = await OwnConnection.beside(sql);
    const writer = await OwnConnection.beside(sql);
    try {
      // Holds a lock as a dump does, and as dispatch does in the middle of a transaction.
      await reader.query('begin');
      await reader.query('lock table send, attempt, send_event, event in access share mode');
      await writer.query('begin');
      await writer.query('lock table send, attempt in row exclusive mode');
      await ensurePartitions(sql, new Date('2033-01-31T23:00:00Z'));
      const [made] = await sql.query<{ n: number }>(
        `select count(*)::int as n from day_partition where name ~ '^(event|send|send_note|attempt)_2033_0[12]_[0-9]{2}$'`,
      );
      expect(made?.n).toBe(20);
    } finally {
      await reader.release();
      await writer.release();
    }
  });

  it('lets writers on while it waits for whoever changes a table’s partitions', async () => {
    const changer = await OwnConnection.beside(sql);
    await changer.query('begin');
    await changer.query('lock table event in share update exclusive mode');
    const later = new SteppedClock('2034-01-31T23:00:00Z');
    const round = new Housekeeping(sql, sealerOf(OLD), later, DAY_MS).runOnce();
    await eventually(async () => {
      const [waiting] = await sql.query<unknown>(
        `select from pg_locks join pg_database on oid = database and datname = current_database()
          where relation = 'event'::regclass and mode = 'ShareUpdateExclusiveLock' and not granted`,
      );
      return waiting !== undefined;
    });
    await sql.query(
      `insert into event (id, verdict, received_at, via, body) values ($1, 'rejected', $2, 'http', '')`,
      [v7({ msecs: clock.now() }), new Date(clock.now())],
    );
    await changer.release();
    await round;
    const left = await sql.query(`select from day_partition where name = 'event_2034_02_03'`);
    expect(left).toHaveLength(1);
  });

  it('says how many days are ahead, and is not ready below two', async () => {
    const at = (text: string): Promise<number> => daysAhead(sql, new Date(text));
    await ensurePartitions(sql, new Date('2035-05-10T12:00:00Z'));
    expect(await at('2035-05-10T23:59:59Z')).toBe(3);
    expect(await at('2035-05-11T00:00:00Z')).toBe(2);
    expect(await at('2035-05-13T12:00:00Z')).toBe(0);
    expect(await at('2035-05-14T12:00:00Z')).toBe(-1);
    await sql.query('drop table attempt_2035_05_12');
    expect(await at('2035-05-11T12:00:00Z')).toBe(0);
  });

  it('puts a row into the partition its id names', async () => {
    const [row] = await sql.query<{ place: string }>(
      `insert into event (id, verdict, received_at, via, body) values ($1, 'rejected', $2, 'http', '')
       returning tableoid::regclass::text as place`,
      [v7({ msecs: clock.now() }), new Date(clock.now())],
    );
    expect(row?.place).toBe('event_2031_01_31');
  });

  it('forgets event keys and answers after 30 days, in batches, and nothing younger', async () => {
    await sql.query(
      `insert into inbox_key (source, event_id, service_id, content_hash, event, taken_at)
       select '/s', n::text, 'shop-app', ''::bytea, gen_random_uuid(), $1::timestamptz - make_interval(days => 20 + n % 20)
         from generate_series(1, 12000) n`,
      [new Date(clock.now())],
    );
    await sql.query(
      `insert into idempotent_answer (token_id, key, request_hash, created_at)
       select gen_random_uuid(), n::text, ''::bytea, $1::timestamptz - make_interval(days => n) from generate_series(1, 40) n`,
      [new Date(clock.now())],
    );
    const housekeeping = new Housekeeping(sql, sealerOf(OLD), clock, DAY_MS);
    const removed: number[] = [];
    for (let count = -1; count !== 0; removed.push(count)) count = await housekeeping.runOnce();
    // Days 20 to 39: those of 31 days and more are 9 of 20; exactly 30 days old is not older than 30 days.
    expect(removed).toEqual([5_010, 400, 0]);
    const [left] = await sql.query<{ inbox: string; answers: string }>(
      'select (select count(*) from inbox_key) as inbox, (select count(*) from idempotent_answer) as answers',
    );
    expect(left).toEqual({ inbox: '6600', answers: '30' });
  });

  it('forgets unwritten answers after 30 days, once their send waits for nobody', async () => {
    const [uncertain, sent] = [v7({ msecs: clock.now() }), v7({ msecs: clock.now() })];
    await sql.query(
      `begin; set local session_replication_role = replica;
       insert into send (id, ended_at, service_id, campaign, revision, occurrence, cell, chunk, state, mode, mode_rule, next_at,
                         state_at, state_by, created_at)
       select id, case state when 'sent' then '2029-01-01'::timestamptz else 'infinity' end, 's', id, 1, 'once', 'c', 0, state, 'immediate', 'DUE_NOW', '2029-01-01', '2029-01-01', 'spec', '2029-01-01'
         from (values ('${uncertain}'::uuid, 'uncertain'), ('${sent}', 'sent')) as v(id, state); commit`,
    );
    await sql.query(
      `insert into unwritten_answer (send, attempt, error, facts, at, by)
       select send, days, 'too long', '{}', $1::timestamptz - make_interval(days => days), 'spec'
         from unnest($2::uuid[]) as send, unnest(array[29, 31]) as days`,
      [new Date(clock.now()), [uncertain, sent, v7()]],
    );
    const housekeeping = new Housekeeping(sql, sealerOf(OLD), clock, DAY_MS);
    expect([await housekeeping.runOnce(), await housekeeping.runOnce()]).toEqual([2, 0]);
    const left = await sql.query<{ send: string; days: number[] }>(
      'select array_agg(attempt order by attempt) as days from unwritten_answer group by send order by send = $1 desc',
      [uncertain],
    );
    expect(left).toEqual([{ days: [29, 31] }, { days: [29] }, { days: [29] }]);
  });

  it('forgets counts of standing messages after 400 days, but for the newest of each, with which sums begin', async () => {
    const [kept, gone] = [v7({ msecs: clock.now() }), v7({ msecs: clock.now() })];
    // Other specs test the rules of sends.
    await sql.query(
      `begin; set local session_replication_role = replica;
       insert into send (id, service_id, campaign, revision, occurrence, cell, chunk, state, mode, mode_rule, next_at,
                         state_at, state_by, created_at)
       values ('${kept}', 's', '${kept}', 1, 'once', 'c', 0, 'scheduled', 'scheduled', 'SCHEDULE_CODE',
               '2029-01-01', '2029-01-01', 'spec', '2031-01-31');
       insert into campaign (id, service_id, campaign_id, event, state, newest_time, state_at, state_by, created_at)
       values ('${kept}', 's', 'c', '${kept}', 'running', '2029-01-01', '2029-01-01', 'spec', '2029-01-01'); commit`,
    );
    await sql.query(
      `insert into standing_count (send, campaign, occurrence, day, target_count, at)
       select s, s, 'once', ($1::timestamptz at time zone 'UTC')::date - n, n, $1 from unnest($2::uuid[]) s, unnest(array[0, 399, 400, 401, 402, 403]) n`,
      [new Date(clock.now()), [kept, gone]],
    );
    const housekeeping = new Housekeeping(sql, sealerOf(OLD), clock, DAY_MS);
    // For the first send, all counts of 401 days ago or more except the newest; for the second, whose campaign is gone, all counts.
    expect(await housekeeping.runOnce()).toBe(2 + 3);
    expect(await housekeeping.runOnce()).toBe(0);
    const left = await sql.query<{ days: number[] }>(
      'select array_agg(target_count order by day desc) as days from standing_count group by send order by send = $1 desc',
      [kept],
    );
    expect(left).toEqual([{ days: [0, 399, 400, 401] }, { days: [0, 399, 400] }]);
  });

  it('forgets sets of sends after 30 days, their items first', async () => {
    await sql.query(
      `with sets as (
         insert into send_set (id, service_id, kind, resolution, filter, created_at, created_by)
         select gen_random_uuid(), 'shop', kind, resolution, '{}', $1::timestamptz - make_interval(days => n), 'spec'
           from generate_series(29, 31) n, (values ('retry', null), ('resolve', 'confirmed-sent')) as k(kind, resolution)
         returning id)
       insert into send_set_item (set_id, service_id, step, send)
       select id, 'shop', 4, gen_random_uuid() from sets, generate_series(1, 3)`,
      [new Date(clock.now())],
    );
    const housekeeping = new Housekeeping(sql, sealerOf(OLD), clock, DAY_MS);
    expect([await housekeeping.runOnce(), await housekeeping.runOnce()]).toEqual([6, 0]);
    expect(
      await sql.query(
        'select (select count(*)::int from send_set) as sets, (select count(*)::int from send_set_item) as items',
      ),
    ).toEqual([{ sets: 4, items: 12 }]);
  });

  it('forgets registered offsets once they are believed no more', async () => {
    await insertProject(sql, {
      serviceId: 'offsets',
      settings: { baseUrl: 'https://x.test' },
      now: new Date(clock.now()),
    });
    await sql.query(
      `insert into registered_offset (service_id, user_id, offset_seconds, looked_up_at)
       select 'offsets', n::text, 3600, $1::timestamptz - make_interval(hours => n) from generate_series(1, 30) n`,
      [new Date(clock.now())],
    );
    await sql.query(
      `insert into offset_census (service_id, channel_name, offsets, looked_up_at)
       select 'offsets', n::text, '[]', $1::timestamptz - make_interval(hours => n) from generate_series(23, 26) n`,
      [new Date(clock.now())],
    );
    await sql.query(
      `insert into gateway_name (service_id, kind, name, known, looked_up_at)
       select 'offsets', 'channel', n::text, true, $1::timestamptz - make_interval(hours => n) from generate_series(23, 25) n`,
      [new Date(clock.now())],
    );
    // 25 to 30, 25 and 26, and 25: exactly a day old is not older than a day.
    expect(await new Housekeeping(sql, sealerOf(OLD), clock, DAY_MS).runOnce()).toBe(9);
    expect(await new Housekeeping(sql, sealerOf(OLD), clock, DAY_MS).runOnce()).toBe(0);
    expect(await sql.query('select count(*)::int as kept from registered_offset')).toEqual([{ kept: 24 }]);
  });

  it('deletes what a breakdown reported about sends that are no longer kept', async () => {
    const [gone, waiting, kept] = [v7({ msecs: 1 }), v7({ msecs: 2 }), v7({ msecs: clock.now() })];
    await sql.query(
      `insert into send_breakdown (send, service_id, campaign, zone, mode, device_type, country, state, request_id, target, sent, small, since, next_at, reported)
       select send, 'shop', send, 'UTC', 'immediate', 'all', 'all', 'failed', 'r', 1, 0, false, case when send = $3 then $4::timestamptz else to_timestamp(0) end,
              $4, case when send <> $2 then '[]'::jsonb end
         from unnest(array[$1, $2, $3]::uuid[]) send`,
      [gone, waiting, kept, new Date(clock.now())],
    );
    expect(await new Housekeeping(sql, sealerOf(OLD), clock, DAY_MS).runOnce()).toBe(1);
    const left = await sql.query('select send from send_breakdown order by send');
    expect(left).toEqual([{ send: waiting }, { send: kept }]);
  });
});

describe('a master key that replaces another', () => {
  it('seals everything anew, so that the old one can go', async () => {
    const now = new Date(clock.now());
    await insertProject(sql, { serviceId: 'shop', settings: { baseUrl: 'https://x.test' }, now });
    const key = { serviceId: 'shop', accessKey: 'ak', secretKey: new Secret('sk-secret'), now };
    await putKey(sql, sealerOf(OLD), key);
    await putApiKey(sql, sealerOf(OLD), 'shop', new Secret('api-secret'));

    await new Housekeeping(sql, sealerOf(NEW, OLD), clock, DAY_MS).runOnce();

    const project = await new ProjectStore(sql, sealerOf(NEW), clock).get('shop');
    expect(project?.keys.map(({ secretKey }) => secretKey.reveal())).toEqual(['sk-secret']);
    expect(project?.apiKey?.reveal()).toBe('api-secret');
    const old = await new ProjectStore(sql, sealerOf(OLD), clock).get('shop');
    expect(old).toMatchObject({ keys: [], apiKey: undefined, keyFault: expect.stringContaining('new') });
  });

  it('leaves what it cannot open as it is, and does the rest', async () => {
    const now = new Date(clock.now());
    await insertProject(sql, { serviceId: 'strange', settings: { baseUrl: 'https://x.test' }, now });
    const key = { serviceId: 'strange', accessKey: 'ak', secretKey: new Secret('elsewhere'), now };
    await putKey(sql, sealerOf(STRANGE), key);
    await putKey(sql, sealerOf(OLD), { ...key, accessKey: 'ak-2', secretKey: new Secret('here') });
    await new Housekeeping(sql, sealerOf(NEW, OLD), clock, DAY_MS).runOnce();
    const project = await new ProjectStore(sql, sealerOf(NEW), clock).get('strange');
    expect(project?.keys.map(({ secretKey }) => secretKey.reveal())).toEqual(['here']);
    expect(project?.keyFault).toContain('strange');
    const back = await new ProjectStore(sql, sealerOf(STRANGE), clock).get('strange');
    expect(back?.keys.map(({ secretKey }) => secretKey.reveal())).toEqual(['elsewhere']);
  });
});
