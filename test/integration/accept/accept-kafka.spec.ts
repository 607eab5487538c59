// From a real topic into the database: order, records that cannot be taken, codecs, and a crash between the two commits.
import { CompressionTypes } from 'kafkajs';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import type { KafkaConnection } from '../../../src/platform/kafka/kafka.js';
import { eventually } from '../../support/eventually.js';
import { testKafka, type TestKafka } from '../../support/kafka/kafka.js';
import {
  addProject,
  canceled,
  fromKafka,
  IntakeWorld,
  scheduled,
  SERVICE,
  type Json,
} from '../../support/scheduler/intake-world.js';
import {
  committedOffset,
  connect,
  handlerOf,
  produce,
  publisherOf,
  readAll,
} from '../../support/scheduler/kafka-world.js';

let broker: TestKafka;
let world: IntakeWorld;
let kafka: KafkaConnection;
let topic: string;

beforeAll(async () => {
  broker = await testKafka();
});
beforeEach(async () => {
  world = await IntakeWorld.open();
  [topic = ''] = await broker.newTopics(['events']);
  kafka = connect(broker.brokers, [topic]);
});
afterEach(async () => {
  await kafka.close();
  await world.close();
});

const PATIENT = { withinMs: 50_000 };
const value = (event: Json): { value: string } => ({ value: JSON.stringify(event) });

it('takes events in order, in the structured and the binary form, and commits the offset after them', async () => {
  const { data, ...attributes } = scheduled('binary');
  const headers = Object.fromEntries(
    Object.entries(attributes).map(([name, text]) => [`ce_${name}`, String(text)]),
  );
  await produce(broker.brokers, topic, [
    {
      ...value(scheduled('spring')),
      key: 'shop-app/spring',
      headers: { 'content-type': 'application/cloudevents+json' },
    },
    { ...value(canceled('spring')), key: 'shop-app/spring' },
    {
      key: 'shop-app/binary',
      value: JSON.stringify(data),
      headers: { ...headers, 'content-type': 'application/json' },
    },
  ]);
  kafka.consume({ groupId: topic, topics: [topic], handle: handlerOf(world.intake()) });
  await eventually(async () =>
    expect(await world.balance()).toMatchObject({ campaigns: 2, commands: 1, rejections: 0 }),
  );
  await eventually(async () => expect(await committedOffset(broker.brokers, topic, topic)).toBe(3));
  expect(kafka.health()).toContainEqual({ name: 'kafka consumer', ok: true, detail: 'ok' });
});

it('poison never stops the partition: it is stored with its reasons, goes to the dead letters, and the next is taken', async () => {
  const poison = [
    { value: null },
    { value: '' },
    { value: Buffer.from([0xff, 0xfe, 0x00]) },
    { value: '{"specversion":"1.0"' },
    { value: Buffer.alloc(1024 * 1024 + 1, 0x20) },
    value({ specversion: '1.0' }),
    value(scheduled('bare', { delivery: { at: '2027-03-02T09:00' } })),
    value(scheduled('zone', { delivery: { at: '2027-03-02T09:00', zone: 'Mars/Olympus' } })),
    { value: JSON.stringify(scheduled('nul', { name: 'HERE' })).replace('HERE', '\\u0000') },
    { ...value(scheduled('key')), key: 'shop-app/other' },
  ];
  for (const [index, message] of poison.entries()) {
    await produce(broker.brokers, topic, [message, value(scheduled(`after-${index}`))]);
  }
  kafka.consume({ groupId: topic, topics: [topic], handle: handlerOf(world.intake()) });
  await eventually(async () =>
    expect(await world.balance()).toMatchObject({ campaigns: 10, rejections: 10, letters: 10 }),
  );
  await eventually(async () => expect(await committedOffset(broker.brokers, topic, topic)).toBe(20));
  const codes = await world.rows<{ code: string }>(
    `select r.reasons->0->>'code' as code from rejection r order by r."offset"`,
  );
  expect(codes.map(({ code }) => code)).toEqual([
    'NOT_JSON',
    'NOT_JSON',
    'NOT_UTF8',
    'NOT_JSON',
    'TOO_LARGE',
    'REQUIRED',
    'ZONE_MISSING',
    'ZONE_UNKNOWN',
    'NOT_STORABLE',
    'KEY_MISMATCH',
  ]);
});

it('rejections reach the dead topic through the outbox, each once, with bytes and reasons', async () => {
  const [dead = ''] = await broker.newTopics(['dead']);
  await produce(broker.brokers, topic, [
    { key: 'shop-app/a', value: 'not json' },
    { key: 'shop-app/b', value: Buffer.alloc(1024 * 1024 + 1, 0x20) },
  ]);
  kafka.consume({ groupId: topic, topics: [topic], handle: handlerOf(world.intake()) });
  await eventually(async () => expect(await world.balance()).toMatchObject({ letters: 2 }));
  await world.rows('update outbox set topic = $1', [dead]);
  const publisher = publisherOf(world.dataSource, kafka, { deadTopic: dead });
  while ((await publisher.runOnce()) > 0);
  const reader = readAll(broker.brokers, dead);
  await eventually(() => expect(reader.messages).toHaveLength(2));
  await reader.close();
  const letters = reader.messages.map((message) => ({
    ...message,
    value: JSON.parse(message.value) as Json,
  }));
  expect(letters).toMatchObject([
    {
      key: 'shop-app/a',
      headers: { 'content-type': expect.stringContaining('application/cloudevents+json') as unknown },
      value: {
        type: 'carillon.event.rejected.v1',
        data: {
          topic,
          offset: '0',
          bodyBase64: Buffer.from('not json').toString('base64'),
          reasons: [{ code: 'NOT_JSON' }],
        },
      },
    },
    {
      key: 'shop-app/b',
      value: { data: { offset: '1', byReference: true, reasons: [{ code: 'TOO_LARGE' }] } },
    },
  ]);
  expect(await world.rows('select id from outbox where published_at is null')).toEqual([]);
});

it('rejections go to the rejectionsTopic of their project too; one that is not there holds up nobody', async () => {
  const [dead = '', own = ''] = await broker.newTopics(['dead', 'own']);
  await addProject(world.dataSource, 'lost-app');
  await world.rows('update project set rejections_topic = case service_id when $1 then $2 else $3 end', [
    SERVICE,
    own,
    `${own}-missing`,
  ]);
  const bad = (campaignId: string, serviceId: string) =>
    fromKafka(scheduled(campaignId, { serviceId, extra: 1 }));
  await world.outcomes([bad('a', 'lost-app'), bad('b', SERVICE), fromKafka(Buffer.from('{'))]);
  await world.rows(`update outbox set topic = $1 where topic = 'campaign.events.dead'`, [dead]);
  const publisher = publisherOf(world.dataSource, kafka, { deadTopic: dead });
  while ((await publisher.runOnce()) > 0);
  const [readDead, readOwn] = [readAll(broker.brokers, dead), readAll(broker.brokers, own)];
  await eventually(() => expect(readDead.messages).toHaveLength(3));
  await eventually(() =>
    expect(readOwn.messages).toMatchObject([{ value: expect.stringContaining('"subject":"b"') as unknown }]),
  );
  await Promise.all([readDead.close(), readOwn.close()]);
  expect(await world.rows('select topic, fault from outbox where published_at is null')).toEqual([
    { topic: `${own}-missing`, fault: 'UNKNOWN_TOPIC_OR_PARTITION' },
  ]);
});

it('killed between the database commit and the offset commit, it reads again and takes once', async () => {
  await produce(broker.brokers, topic, [
    value(scheduled('spring')),
    { value: 'poison' },
    value(scheduled('autumn')),
  ]);
  const handle = handlerOf(world.intake());
  let kept = 0;
  // For Kafka the process ends here: the rows are committed, the offset is not.
  kafka.consume({
    groupId: topic,
    topics: [topic],
    handle: (batch) =>
      handle({ ...batch, done: () => Promise.reject(new Error(`killed after ${(kept += 1)}`)) }),
  });
  await eventually(() => expect(kept).toBeGreaterThan(1));
  await kafka.close();
  expect(await committedOffset(broker.brokers, topic, topic)).toBe(-1);
  kafka = connect(broker.brokers, [topic]);
  kafka.consume({ groupId: topic, topics: [topic], handle });
  await eventually(async () => expect(await committedOffset(broker.brokers, topic, topic)).toBe(3));
  expect(await world.balance()).toMatchObject({
    events: 3,
    campaigns: 2,
    rejections: 1,
    duplicates: 0,
    letters: 1,
  });
});

it('a handler that breaks is given the batch again by a new session, and health says so meanwhile', async () => {
  await produce(broker.brokers, topic, [value(scheduled('spring'))]);
  const handle = handlerOf(world.intake());
  let failing = true;
  kafka.consume({
    groupId: topic,
    topics: [topic],
    handle: async (batch) => (failing ? Promise.reject(new Error('a bug')) : handle(batch)),
  });
  await eventually(
    () =>
      expect(kafka.health()[0]).toMatchObject({
        ok: false,
        detail: expect.stringContaining('a bug') as unknown,
      }),
    PATIENT,
  );
  failing = false;
  await eventually(async () => expect(await world.balance()).toMatchObject({ campaigns: 1 }), PATIENT);
  await eventually(() => expect(kafka.health()[0]).toMatchObject({ ok: true }));
});

it('batches in GZIP are read, a thousand events in bounded pieces', async () => {
  const messages = Array.from({ length: 1_200 }, (_, index) => value(scheduled(`c${index}`)));
  await produce(broker.brokers, topic, messages, CompressionTypes.GZIP);
  kafka.consume({ groupId: topic, topics: [topic], handle: handlerOf(world.intake()) });
  await eventually(
    async () => expect(await world.balance()).toMatchObject({ events: 1_200, campaigns: 1_200 }),
    PATIENT,
  );
});

it('two members share a topic, and a partition that moves loses and doubles nothing', async () => {
  const [wide = ''] = await broker.newTopics(['wide'], 4);
  const send = (from: number) => {
    const names = Array.from({ length: 50 }, (_, index) => `c${from + index}`);
    const messages = names.map((name) => ({ key: `shop-app/${name}`, ...value(scheduled(name)) }));
    return produce(broker.brokers, wide, messages);
  };
  const join = { groupId: wide, topics: [wide], handle: handlerOf(world.intake()) };
  kafka.consume(join);
  await send(0);
  const second = connect(broker.brokers, [wide]);
  second.consume(join);
  await send(50);
  await eventually(() => expect(second.health()[0]).toMatchObject({ ok: true }), PATIENT);
  await send(100);
  await eventually(async () => expect(await world.balance()).toMatchObject({ campaigns: 150 }), PATIENT);
  await second.close();
  await send(150);
  await eventually(
    async () => expect(await world.balance()).toMatchObject({ events: 200, campaigns: 200, duplicates: 0 }),
    PATIENT,
  );
});

it('a member learns that another has left, though the machine’s clock was set back by ten minutes', async () => {
  const [wide = ''] = await broker.newTopics(['wide'], 4);
  const handle = handlerOf(world.intake());
  const second = connect(broker.brokers, [wide]);
  const bySecond = new Set<number>();
  kafka.consume({ groupId: wide, topics: [wide], handle });
  await eventually(() => expect(kafka.health()[0]).toMatchObject({ ok: true }), PATIENT);
  second.consume({
    groupId: wide,
    topics: [wide],
    handle: (batch) => {
      for (const { partition } of batch.records) bySecond.add(partition);
      return handle(batch);
    },
  });
  const send = (name: string, partitions: readonly number[]) =>
    produce(
      broker.brokers,
      wide,
      partitions.map((partition) => ({ partition, ...value(scheduled(`${name}${partition}`)) })),
    );
  let turn = 0;
  await eventually(async () => {
    await send(`turn-${(turn += 1)}-`, [0, 1, 2, 3]);
    expect(bySecond.size).toBe(2);
  }, PATIENT);
  const now = Date.now.bind(Date);
  const set = vi.spyOn(Date, 'now').mockImplementation(() => now() - 600_000);
  try {
    await second.close();
    // No request of the other member: the answer to a commit would show it as well.
    await send('left-', [...bySecond]);
    await eventually(
      async () => expect(await world.balance()).toMatchObject({ campaigns: 4 * turn + 2 }),
      PATIENT,
    );
  } finally {
    set.mockRestore();
  }
});
