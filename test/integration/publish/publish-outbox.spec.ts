// The outbox with a real database and a real topic: order, several publishers, bounds, and how long rows are kept.
import { randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { SteppedClock } from '../../../src/platform/clock.js';
import type { KafkaConnection, KafkaMessage } from '../../../src/platform/kafka/kafka.js';
import { addToOutbox, UNPUBLISHED } from '../../../src/scheduler/store/outbox.store.js';
import { eventually } from '../../support/eventually.js';
import { testKafka, type TestKafka } from '../../support/kafka/kafka.js';
import { OwnConnection } from '../../support/postgres/own-connection.js';
import { schedulerConfig, startScheduler } from '../../support/scheduler/running-scheduler.js';
import { addProject, fromHttp, IntakeWorld, START } from '../../support/scheduler/intake-world.js';
import { connect, endOf, publisherOf, readAll } from '../../support/scheduler/kafka-world.js';

let testBrokers: TestKafka;
let world: IntakeWorld;
let kafka: KafkaConnection;
let topic: string;

beforeAll(async () => {
  testBrokers = await testKafka();
});
beforeEach(async () => {
  world = await IntakeWorld.open();
  [topic = ''] = await testBrokers.newTopics(['outcomes'], 3);
  kafka = connect(testBrokers.brokers, [topic]);
});
afterEach(async () => {
  await kafka.close();
  await world.close();
});

async function add(rows: readonly { key: string; value: string | Buffer }[]): Promise<void> {
  await addToOutbox(
    world.dataSource,
    rows.map(({ key, value }) => ({
      // Ids are out of order on purpose, like those of two processes whose clocks differ.
      id: v7({ msecs: Date.parse(START) - Math.floor(Math.random() * 60_000) }),
      topic,
      key,
      headers: { 'content-type': 'application/cloudevents+json' },
      value: Buffer.from(value),
      created_at: new Date(START),
    })),
  );
}

const unpublished = () => world.rows('select id from outbox where published_at is null');

it('publishes each row once and in the order of its key, with three publishers at work', async () => {
  const keys = Array.from({ length: 20 }, (_, index) => `shop-app/c${index}`);
  for (let round = 0; round < 30; round += 1) await add(keys.map((key) => ({ key, value: `${round}` })));
  const publishers = [1, 2, 3].map(() => publisherOf(world.dataSource, kafka));
  await eventually(async () => {
    await Promise.all(publishers.map((publisher) => publisher.runOnce()));
    expect(await unpublished()).toEqual([]);
  });
  const reader = readAll(testBrokers.brokers, topic);
  await eventually(() => expect(reader.messages).toHaveLength(600));
  await reader.close();
  const expected = Array.from({ length: 30 }, (_, round) => `${round}`);
  for (const key of keys) {
    expect(reader.messages.filter((message) => message.key === key).map(({ value }) => value)).toEqual(
      expected,
    );
  }
});

it('a row that is committed late is not skipped', async () => {
  const publisher = publisherOf(world.dataSource, kafka);
  const late = await OwnConnection.beside(world.dataSource);
  await late.query('begin');
  await addToOutbox(late, [
    { id: v7(), topic, key: 'a', headers: {}, value: Buffer.from('late'), created_at: new Date(START) },
  ]);
  await add([{ key: 'b', value: 'early' }]);
  expect(await publisher.runOnce()).toBe(1);
  await late.query('commit');
  await late.release();
  expect(await publisher.runOnce()).toBe(1);
  expect(await unpublished()).toEqual([]);
});

it('holds at most half a megabyte of values at once, but always one row', async () => {
  const big = Buffer.alloc(400 * 1024, 0x61);
  await add([1, 2, 3].map(() => ({ key: 'a', value: big })));
  await add([{ key: 'a', value: Buffer.alloc(1_300 * 1024, 0x62) }]);
  const publisher = publisherOf(world.dataSource, kafka);
  const rounds = [await publisher.runOnce(), await publisher.runOnce(), await publisher.runOnce()];
  expect(rounds).toEqual([2, 2, 0]);
});

it('keeps rows that brokers do not confirm, and marks none', async () => {
  const nowhere = connect(['127.0.0.1:1'], [topic]);
  await add([{ key: 'a', value: '1' }]);
  const publisher = publisherOf(world.dataSource, nowhere);
  await expect(publisher.runOnce()).rejects.toThrow(/ECONNREFUSED|Connection/);
  expect(await unpublished()).toHaveLength(1);
  expect(nowhere.health()).toContainEqual({
    name: 'kafka producer',
    ok: false,
    detail: expect.stringMatching(/./) as unknown,
  });
  await nowhere.close();
  expect(await publisherOf(world.dataSource, kafka).runOnce()).toBe(1);
});

it('deletes what was published an hour ago, and nothing that was not', async () => {
  const clock = new SteppedClock(START);
  await add([{ key: 'a', value: '1' }]);
  const publisher = publisherOf(world.dataSource, kafka, { clock: clock });
  expect(await publisher.runOnce()).toBe(1);
  clock.advance(3_600_001);
  await add([{ key: 'a', value: '2' }]);
  expect(await publisher.runOnce()).toBe(1);
  expect(await publisher.runOnce()).toBe(1);
  expect(await world.rows('select convert_from(value, $1) as value from outbox', ['UTF8'])).toEqual([
    { value: '2' },
  ]);
});

it('keeps a backlog of 100 000 rows while the brokers are away, holds a page of it, and publishes all of it in order', async () => {
  const [count, keys] = [100_000, 2];
  await world.dataSource.query(
    `insert into outbox (id, topic, key, headers, value, created_at)
     select gen_random_uuid(), $1, 'shop-app/c' || n % $3, '{}', convert_to((n / $3)::text, 'UTF8'), $4
       from generate_series(0, $2::int - 1) n`,
    [topic, count, keys, new Date(START)],
  );
  const nowhere = connect(['127.0.0.1:1'], [topic]);
  const away = publisherOf(world.dataSource, nowhere);
  const before = process.memoryUsage().rss;
  for (let round = 0; round < 3; round += 1)
    await expect(away.runOnce()).rejects.toThrow(/ECONNREFUSED|Connection/);
  expect(process.memoryUsage().rss - before).toBeLessThan(48 * 2 ** 20);
  await nowhere.close();

  const pages: { rows: number; bytes: number }[] = [];
  const next = new Map<string, number>();
  const listened = {
    send: async (messages: readonly KafkaMessage[]): Promise<void> => {
      await kafka.send(messages);
      pages.push({
        rows: messages.length,
        bytes: messages.reduce((sum, { value }) => sum + value.length, 0),
      });
      for (const { key, value } of messages) {
        const turn = Number(value.toString());
        expect(turn).toBe(next.get(key ?? '') ?? 0);
        next.set(key ?? '', turn + 1);
      }
    },
  };
  const publisher = publisherOf(world.dataSource, listened);
  while ((await publisher.runOnce()) > 0);
  expect(next.size).toBe(keys);
  expect(new Set(next.values())).toEqual(new Set([count / keys]));
  expect(Math.max(...pages.map(({ rows }) => rows))).toBeLessThanOrEqual(500);
  expect(Math.max(...pages.map(({ bytes }) => bytes))).toBeLessThanOrEqual(512 * 1024);
  expect(await unpublished()).toEqual([]);
  expect(await endOf(testBrokers.brokers, topic)).toBe(count);
});

it('reads only a page of a topic, however many rows wait for it and for others', async () => {
  await world.dataSource.query(
    `insert into outbox (id, topic, key, headers, value, created_at)
     select gen_random_uuid(), $1 || n % 16, 'shop-app/c', '{}', 'x', $2 from generate_series(1, 16000) n`,
    [topic, new Date(START)],
  );
  await world.dataSource.query('analyze outbox');
  for (const mode of ['force_custom_plan', 'force_generic_plan']) {
    const connection = await OwnConnection.beside(world.dataSource);
    await connection.query(`set plan_cache_mode = ${mode}`);
    const [{ 'QUERY PLAN': plan } = { 'QUERY PLAN': [] }] = (await connection.query(
      `explain (analyze, format json) ${UNPUBLISHED}`,
      [`${topic}3`, 100, 1_000_000],
    )) as { 'QUERY PLAN': { Plan: PlanNode }[] }[];
    await connection.query('reset plan_cache_mode');
    await connection.release();
    const read = scansOf(plan[0]?.Plan).filter((scan) => scan['Index Name'] === 'outbox_unpublished');
    expect(read.map((scan) => scan['Actual Rows'])).toEqual([100]);
  }
});

const codes = (of = topic) =>
  world.rows<{ fault: string; n: number }>(
    'select fault, count(*)::int as n from outbox where topic = $1 and refused_at is not null group by 1',
    [of],
  );

it('puts a message that its topic refuses aside and logs it; the topic’s other messages are published', async () => {
  const [small = ''] = await testBrokers.newTopics(['small'], 1, { 'max.message.bytes': '20000' });
  const own = connect(testBrokers.brokers, [small]);
  const noise = randomBytes(40_000).toString('base64');
  const values = ['1', noise, '2', '3'];
  topic = small;
  await add(values.map((value) => ({ key: 'a', value })));
  const publisher = publisherOf(world.dataSource, own, { deadTopic: small });
  while ((await publisher.runOnce()) > 0);
  expect(await unpublished()).toHaveLength(1);
  expect(await codes()).toEqual([{ fault: 'MESSAGE_TOO_LARGE', n: 1 }]);
  expect(publisher.finding()).toContain(small);
  const reader = readAll(testBrokers.brokers, small);
  await eventually(() => expect(reader.messages.at(-1)?.value).toBe('3'));
  expect([...new Set(reader.messages.map(({ value }) => value))]).toEqual(['1', '2', '3']);
  await reader.close();
  await own.close();
});

it('a project’s topic that refuses messages delays no dead letters and no other copies, and health is good', async () => {
  const [missing, forbidden, good = '', compacted = ''] = [
    `${topic}-missing`,
    `${topic}-forbidden`,
    ...(await testBrokers.newTopics(['good'])),
    ...(await testBrokers.newTopics(['compacted'], 1, { 'cleanup.policy': 'compact' })),
  ];
  for (const [rejectionsTopic, serviceId] of [missing, forbidden, good, compacted].map((name) => [
    name,
    name,
  ])) {
    await addProject(world.dataSource, serviceId);
    await world.rows('update project set rejections_topic = $1 where service_id = $2', [
      rejectionsTopic,
      serviceId,
    ]);
    // Without a key and a campaign.
    await world.outcomes([fromHttp({ data: { serviceId } }, [String(serviceId)])]);
  }
  await world.rows(`update outbox set topic = $1 where topic = 'campaign.events.dead'`, [topic]);
  const publisher = publisherOf(world.dataSource, kafka, {
    deadTopic: topic,
    allows: (name) => name !== forbidden,
  });
  while ((await publisher.runOnce()) > 0);
  expect(await codes(missing)).toEqual([{ fault: 'UNKNOWN_TOPIC_OR_PARTITION', n: 1 }]);
  expect(await codes(forbidden)).toEqual([{ fault: 'TOPIC_NOT_ALLOWED', n: 1 }]);
  for (const [name, count] of [
    [topic, 4],
    [good, 1],
    [compacted, 1],
  ] as const)
    expect(await endOf(testBrokers.brokers, name)).toBe(count);
  expect(kafka.health()).toMatchObject([{ name: 'kafka producer', ok: true }]);
});

interface PlanNode {
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly Plans?: readonly PlanNode[];
}

function scansOf(node: PlanNode | undefined): PlanNode[] {
  return node === undefined ? [] : [node, ...(node.Plans ?? []).flatMap(scansOf)];
}

it('publishes at once when a row is notified: its next round is minutes away', async () => {
  const scheduler = await startScheduler(
    schedulerConfig(world.url, {
      CARILLON_ROLES: 'publish',
      LOOP_IDLE_MS: '60000',
      KAFKA_DEAD_TOPIC: topic,
      KAFKA_BROKERS: testBrokers.brokers.join(','),
    }),
  );
  try {
    // A round at the start may find the first row, and a round after each may find another; but not all.
    for (let row = 0; row < 5; row += 1) {
      await add([{ key: 'a', value: `${row}` }]);
      await eventually(async () => expect(await unpublished()).toEqual([]), { withinMs: 30_000 });
    }
  } finally {
    await scheduler.close();
  }
});
