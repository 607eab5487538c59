// Outcomes and their cursors: order, holes of transactions that commit late or never, several publishers, a publisher that dies, and a
// backlog. The brokers are a list here, because only the messages given to them matter.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { SystemClock } from '../../../src/platform/clock.js';
import { createDataSource, type Sql } from '../../../src/platform/database/database.js';
import type { KafkaMessage } from '../../../src/platform/kafka/kafka.js';
import { LogReader, type LogReaderDeps } from '../../../src/scheduler/outcomes/log/log-reader.js';
import {
  PublishOutcomes,
  type PublishOutcomesDeps,
} from '../../../src/scheduler/outcomes/publish/publish-outcomes.js';
import { readOutcomes } from '../../../src/scheduler/outcomes/publish/outcome.store.js';
import { eventually } from '../../support/eventually.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { START, World } from '../../support/scheduler/world.js';

let world: World;
let published: { id: string; send: string; sequence: number }[] = [];
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());
beforeEach(async () => {
  await world.clear();
  await world.project();
  await drain();
  published = [];
});

const brokers = {
  send: (messages: readonly KafkaMessage[]): Promise<void> => {
    for (const { value } of messages) {
      const event = JSON.parse(value.toString('utf8')) as {
        id: string;
        sequence: string;
        data: { sendId: string };
      };
      published.push({ id: event.id, send: event.data.sendId, sequence: Number(event.sequence) });
    }
    return Promise.resolve();
  },
};
const publisherOf = (deps: Partial<PublishOutcomesDeps & LogReaderDeps> = {}): LogReader =>
  new LogReader(
    new PublishOutcomes({ kafka: brokers, topic: 'outcomes', clock: new SystemClock(), ...deps }),
    {
      inTransaction: (work) => world.dataSource.transaction(work),
      ...deps,
    },
  );

/** Publishes all outcomes and fills every hole. */
async function drain(): Promise<void> {
  const publisher = publisherOf();
  while ((await publisher.runOnce()) > 0);
  await filled(publisher);
}

/** Transactions in other databases of the server count too: it may take a moment. */
async function filled(publisher: LogReader): Promise<void> {
  await eventually(async () => {
    await publisher.runOnce();
    expect(await holes()).toBe(0);
  });
}

async function holes(): Promise<number> {
  const [row] = await world.dataSource.query<{ holes: number }>(
    "select sum((select count(*) - 1 from unnest(done)))::int as holes from outcome_cursor where consumer = 'publish'",
  );
  return row?.holes ?? 0;
}

const move = (sql: Sql, send: string, state: string) =>
  sql.query(
    `update send set state = $2, changes = changes + 1, state_at = $3, state_by = 'spec' where id = $1`,
    [send, state, new Date(START)],
  );

async function sendsOf(count: number): Promise<string[]> {
  const campaign = await world.campaign();
  const sends: string[] = [];
  for (let chunk = 0; chunk < count; chunk += 1)
    sends.push(await world.send({ campaign, chunk, state: 'sending' }));
  return sends;
}

it('publishes outcomes beyond a transaction that has not committed, and that one’s when it has', async () => {
  const [late = '', early = ''] = await sendsOf(2);
  const open = await OwnConnection.beside(world.dataSource);
  await open.query('begin');
  await move(open, late, 'accepted');
  await move(world.dataSource, early, 'accepted');
  await move(world.dataSource, early, 'sent');
  const publisher = publisherOf();
  expect(await publisher.runOnce()).toBe(2);
  for (let round = 0; round < 3; round += 1) expect(await publisher.runOnce()).toBe(0);
  expect(await holes()).toBe(1);
  await open.query('commit');
  await open.release();
  await move(world.dataSource, late, 'sent');
  expect(await publisher.runOnce()).toBe(2);
  expect(published.map(({ send, sequence }) => [send, sequence])).toEqual([
    [early, 2],
    [early, 3],
    [late, 2],
    [late, 3],
  ]);
  expect(await holes()).toBe(0);
});

it('fills the hole of a rollback, but not while a transaction that may have drawn it runs', async () => {
  const [undone = '', late = '', early = '', other = ''] = await sendsOf(4);
  const [first, second] = [
    await OwnConnection.beside(world.dataSource),
    await OwnConnection.beside(world.dataSource),
  ];
  await first.query('begin');
  await move(first, undone, 'accepted');
  await second.query('begin');
  await move(second, late, 'accepted');
  await move(world.dataSource, early, 'accepted');
  const publisher = publisherOf();
  expect(await publisher.runOnce()).toBe(1);
  await first.query('rollback');
  await first.release();
  // The second transaction may have drawn either position: neither is known to be rolled back.
  await move(world.dataSource, other, 'accepted');
  expect(await publisher.runOnce()).toBe(1);
  expect(await publisher.runOnce()).toBe(0);
  expect(await holes()).toBe(1);
  await second.query('commit');
  await second.release();
  expect(await publisher.runOnce()).toBe(1);
  await filled(publisher);
  expect(published.map(({ send }) => send)).toEqual([early, other, late]);
});

it('keeps the order of every send, once each, while two publish and many write at the same time', async () => {
  const sends = await sendsOf(120);
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    const own = sends.filter((__, index) => index % 4 === writer);
    for (const state of ['accepted', 'sent']) {
      for (let from = 0; from < own.length; from += 3) {
        const moved = world.dataSource.transaction(async (sql) => {
          for (const send of own.slice(from, from + 3)) await move(sql, send, state);
          if (from % 4 === writer % 4) throw new Error('rolled back');
        });
        await moved.catch(() => undefined);
        // Changes that were rolled back are made again, with positions after those that others drew meanwhile.
        if (from % 4 === writer % 4)
          for (const send of own.slice(from, from + 3)) await move(world.dataSource, send, state);
      }
    }
  });
  const state = { isWritten: false };
  const written = Promise.all(writers).then(() => (state.isWritten = true));
  const publish = async (publisher: LogReader): Promise<void> => {
    while ((await publisher.runOnce()) > 0 || !state.isWritten);
  };
  await Promise.all([written, publish(publisherOf()), publish(publisherOf())]);
  await drain();
  expect(published).toHaveLength(240);
  expect(new Set(published.map(({ id }) => id)).size).toBe(240);
  for (const of of sends)
    expect(published.filter(({ send }) => send === of).map(({ sequence }) => sequence)).toEqual([2, 3]);
  expect(await holes()).toBe(0);
});

it('publishes again, under the same ids, what a publisher had published that died before its cursor moved', async () => {
  const [one = '', two = ''] = await sendsOf(2);
  await move(world.dataSource, one, 'accepted');
  await move(world.dataSource, two, 'accepted');
  const dying = publisherOf({
    kafka: {
      send: async (messages) => {
        await brokers.send(messages);
        throw new Error('killed');
      },
    },
  });
  await expect(dying.runOnce()).rejects.toThrow('killed');
  await move(world.dataSource, one, 'sent');
  expect(await publisherOf().runOnce()).toBe(3);
  const ids = [`${one}:2`, `${two}:2`];
  expect(published.map(({ id }) => id)).toEqual([...ids, ...ids, `${one}:3`]);
});

it('has one publisher for a shard at a time, and another once that one has ended or died', async () => {
  const [first = '', second = ''] = await sendsOf(2);
  // A process of its own.
  const other = createDataSource({
    ...world.dataSource.options,
    applicationName: 'other publisher',
    poolSize: 1,
  });
  await other.initialize();
  const held: (() => void)[] = [];
  const slow = publisherOf({
    inTransaction: (work) => other.transaction(work),
    kafka: {
      send: async (messages) => {
        await new Promise<void>((resolve) => held.push(resolve));
        await brokers.send(messages);
      },
    },
  });
  const publisher = publisherOf();
  await move(world.dataSource, first, 'accepted');
  const ending = slow.runOnce();
  await eventually(() => held.length === 1);
  expect(await publisher.runOnce()).toBe(0);
  held.pop()?.();
  expect(await ending).toBe(1);
  await move(world.dataSource, first, 'sent');
  expect(await publisher.runOnce()).toBe(1);

  await move(world.dataSource, second, 'accepted');
  const dying = slow.runOnce();
  await eventually(() => held.length === 1);
  expect(await publisher.runOnce()).toBe(0);
  await world.dataSource.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'other publisher'",
  );
  await eventually(async () => expect(await publisher.runOnce()).toBe(1));
  expect(published.map(({ id }) => id)).toEqual([`${first}:2`, `${first}:3`, `${second}:2`]);
  held.pop()?.();
  await expect(dying).rejects.toThrow(/terminated|connection error/i);
  await other.destroy();
});

/** Events of a campaign that nobody has published yet, in that shard. */
const backlog = (shard: number, campaign: string, count: number) =>
  world.dataSource.query(
    `insert into send_event (position, at, campaign, kind, sequence, revision, shard, to_state)
     select event_position($1::smallint), $4, $2, 'campaign.corrected', n, 1, $1, 'completed' from generate_series(1, $3::int) n`,
    [shard, campaign, count, new Date(START)],
  );

it('keeps a backlog of 100 000 events while the brokers are away, holds a page of it, and publishes it in order', async () => {
  const campaigns = [await world.campaign(), await world.campaign()];
  for (const [shard, campaign] of campaigns.entries()) await backlog(shard, campaign, 50_000);
  let [largest, outOfOrder] = [0, 0];
  const away = publisherOf({
    kafka: {
      send: (messages) => {
        largest = Math.max(largest, messages.length);
        return Promise.reject(new Error('away'));
      },
    },
  });
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 3; round += 1) await expect(away.runOnce()).rejects.toThrow('away');
  expect(process.memoryUsage().rss - before).toBeLessThan(48 * 2 ** 20);

  const next = new Map<string, number>();
  const publisher = publisherOf({
    rows: 500,
    bytes: 512 * 1024,
    kafka: {
      send: (messages) => {
        largest = Math.max(largest, messages.length);
        for (const { key, value } of messages) {
          const { sequence } = JSON.parse(value.toString('utf8')) as { sequence: string };
          if (Number(sequence) !== (next.get(key ?? '') ?? 0) + 1) outOfOrder += 1;
          next.set(key ?? '', Number(sequence));
        }
        return Promise.resolve();
      },
    },
  });
  while ((await publisher.runOnce()) > 0);
  expect([...next.values()]).toEqual([50_000, 50_000]);
  expect(outOfOrder).toBe(0);
  expect(largest).toBe(500);
});

it('reads only a page, however many outcomes are published, wait, or are in holes', async () => {
  const campaign = await world.campaign();
  await backlog(3, campaign, 5_000);
  await drain();
  await backlog(3, campaign, 5_000);
  await backlog(4, campaign, 5_000);
  const sends = await sendsOf(30);
  for (const send of sends) await move(world.dataSource, send, 'accepted');
  await world.dataSource.query('analyze send_event, send');
  const plans = await world.plansOf(async (sql) => {
    await sql.query('set auto_explain.log_analyze = on; set auto_explain.log_timing = off');
    const shards = Array.from({ length: 16 }, (_, shard) => shard);
    await readOutcomes(sql, { shards, rowsOfShard: 100, rows: 500, bytes: 10 ** 6, ranges: 1_000 });
  });
  const plan = plans.find((text) => text.includes('from unnest(the_shards)')) ?? '';
  expect(plan).not.toMatch(/Seq Scan on (send|send_event|campaign|cell)/);
  // In each partition one index scan for each shard, of as many rows as the page takes from it.
  const scans = [...plan.matchAll(/Index Scan using send_event\w* .*actual rows=([\d.]+) loops=(\d+)/g)];
  expect(scans.length).toBeGreaterThan(0);
  const read = scans.reduce((sum, [, rows, loops]) => sum + Number(rows) * Number(loops), 0);
  expect(read).toBeLessThanOrEqual(230 + 16);
});

it('waits at the lowest hole if there are too many holes, reports it, and goes on once its transaction has ended', async () => {
  const sends = await sendsOf(8);
  const [open = '', ...others] = sends;
  const long = await OwnConnection.beside(world.dataSource);
  await long.query('begin');
  await move(long, open, 'accepted');
  const publisher = publisherOf({ ranges: 3 });
  const counts: number[] = [];
  for (const send of others) {
    await move(world.dataSource, send, 'accepted');
    counts.push(await publisher.runOnce());
    await world.dataSource
      .transaction(async (sql) => {
        await move(sql, send, 'sent');
        throw new Error('rolled back');
      })
      .catch(() => undefined);
  }
  expect(counts).toEqual([1, 1, 1, 0, 0, 0, 0]);
  expect(publisher.finding()).toMatch(/wait for a transaction that does not end/);
  await long.query('commit');
  await long.release();
  await eventually(async () => {
    await publisher.runOnce();
    expect(published).toHaveLength(8);
  });
  await filled(publisher);
  expect(await publisher.runOnce()).toBe(0);
  expect(publisher.finding()).toBeUndefined();
});

it('drops a hole’s bound if the database was restored and its transaction ids begin anew', async () => {
  const [one = '', two = ''] = await sendsOf(2);
  const undone = world.dataSource.transaction(async (sql) => {
    await move(sql, one, 'accepted');
    throw new Error('rolled back');
  });
  await undone.catch(() => undefined);
  await move(world.dataSource, two, 'accepted');
  const publisher = publisherOf();
  expect(await publisher.runOnce()).toBe(1);
  expect(await holes()).toBe(1);
  await world.dataSource.query(
    `update outcome_cursor set hole_xmax = '9000000000' where hole_xmax is not null`,
  );
  await filled(publisher);
});

it('publishes the warnings of planned campaigns, in batches that the brokers take, in order', async () => {
  const text = 'x'.repeat(15_000);
  const campaigns: string[] = [];
  for (let index = 0; index < 3; index += 1) {
    const campaign = await world.campaign({ state: 'planning' });
    const plan = { warnings: [{ code: 'EMPTY_TEXT', text, pointer: '/message' }] };
    await world.dataSource.transaction(async (sql) => {
      await sql.query(`update campaign set state = 'planned' where id = $1`, [campaign]);
      await sql.query('update revision set plan = $2 where campaign = $1', [campaign, plan]);
    });
    campaigns.push(campaign);
  }
  const batches: { ourId: string; warnings: { text: string }[] }[][] = [];
  const send = (messages: readonly KafkaMessage[]): Promise<void> => {
    batches.push(
      messages.map(
        ({ value }) => (JSON.parse(value.toString('utf8')) as { data: (typeof batches)[0][0] }).data,
      ),
    );
    return Promise.resolve();
  };
  const publisher = publisherOf({ kafka: { send }, bytes: 20_000 });
  // One page: its rows are small.
  expect(await publisher.runOnce()).toBe(3);
  expect(batches.map((batch) => batch.map(({ warnings }) => warnings[0]?.text.length))).toEqual([
    [15_000],
    [15_000],
    [15_000],
  ]);
  expect(
    batches
      .flat()
      .map(({ ourId }) => ourId)
      .toSorted(),
  ).toEqual(campaigns.toSorted());
});
