// The intake while its database or its brokers are away: it keeps its place, says so, and goes on where it was.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schedulerMigrations } from '../../../migrations/scheduler/index.js';
import { SystemClock } from '../../../src/platform/clock.js';
import { createDataSource } from '../../../src/platform/database/database.js';
import { createLog } from '../../../src/platform/logging/log.js';
import { migrate } from '../../../src/platform/database/migrate-database.js';
import { findKafka } from '../../../tools/kafka/find.js';
import { startKafka, type RunningKafka } from '../../../tools/kafka.js';
import { startPostgres, type RunningPostgres } from '../../../tools/postgres.js';
import { eventually } from '../../support/eventually.js';
import { testKafka } from '../../support/kafka/kafka.js';
import { testLength } from '../../support/lengths.js';
import {
  addProject,
  dataSourceOf,
  intakeOf,
  IntakeWorld,
  scheduled,
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

/** Real milliseconds that PostgreSQL or Kafka stays away. */
const AWAY_MS = testLength('OUTAGE_SECONDS', { normal: 3, long: 20 }) * 1_000;
const PATIENT = { withinMs: AWAY_MS + 90_000 };
const UNPUBLISHED_LETTERS =
  "select id from outbox where published_at is null and topic = 'campaign.events.dead'";
const now = (): string => new Date().toISOString();
const value = (event: Json): { value: string } => ({ value: JSON.stringify({ ...event, time: now() }) });

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'carillon intake '));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function awayFor(ms: number, since: number): Promise<void> {
  await eventually(() => performance.now() - since >= ms, { withinMs: ms + 5_000 });
}

it(`with PostgreSQL away it keeps the batch and its place in the group, and takes everything afterwards`, async () => {
  const { brokers, newTopics } = await testKafka();
  const [topic = ''] = await newTopics(['events']);
  const postgres: RunningPostgres = await startPostgres({ stateDir: join(folder, 'pg'), durable: false });
  const url = await postgres.ensureDatabase('carillon');
  const migrator = createDataSource({
    url,
    schema: 'scheduler',
    migrations: schedulerMigrations,
    poolSize: 2,
    applicationName: 'spec',
  });
  await migrator.initialize();
  await migrate(migrator);
  await migrator.destroy();
  const dataSource = dataSourceOf(url);
  await dataSource.initialize();
  await addProject(dataSource);
  const kafka = connect(brokers, [topic]);
  let refused = 0;
  const intake = intakeOf(dataSource, new SystemClock());
  const counting = handlerOf({
    accept: (raws) =>
      intake.accept(raws).catch((error: unknown) => {
        refused += 1;
        throw error;
      }),
  } as typeof intake);
  kafka.consume({ groupId: topic, topics: [topic], handle: counting });
  try {
    await produce(brokers, topic, [value(scheduled('before'))]);
    await eventually(async () => expect(await committedOffset(brokers, topic, topic)).toBe(1), PATIENT);
    await postgres.stop();
    const since = performance.now();
    await produce(brokers, topic, [value(scheduled('a')), { value: 'poison' }, value(scheduled('b'))]);
    await eventually(() => expect(refused).toBeGreaterThan(2), PATIENT);
    await awayFor(AWAY_MS, since);
    expect(await committedOffset(brokers, topic, topic)).toBe(1);
    // Still a member: nobody else was given the partition, nothing was skipped.
    await eventually(() => expect(kafka.health()[0]).toMatchObject({ ok: true }), PATIENT);
    await postgres.restart();
    await eventually(async () => expect(await committedOffset(brokers, topic, topic)).toBe(4), PATIENT);
    const rows = await dataSource.query<{ verdict: string }>('select verdict from event order by "offset"');
    expect(rows.map(({ verdict }) => verdict)).toEqual(['campaign', 'campaign', 'rejected', 'campaign']);
  } finally {
    await kafka.close();
    await dataSource.destroy();
    await postgres.remove();
  }
});

it('with PostgreSQL away a backlog waits on its topic: one batch of each partition in hand, and no rebalance', async () => {
  const { brokers, newTopics } = await testKafka();
  const partitions = 3;
  const [topic = ''] = await newTopics(['backlog'], partitions);
  const world = await IntakeWorld.open();
  const lines: string[] = [];
  const log = createLog('spec', 'debug', { write: (line: string) => void lines.push(line) });
  const kafka = connect(brokers, [topic], log);
  let isAway = true;
  const intake = intakeOf(world.dataSource, new SystemClock());
  const handle = handlerOf({
    accept: (raws) => (isAway ? Promise.reject(new Error('the database is away')) : intake.accept(raws)),
  } as typeof intake);
  const handed: { partition: number; bytes: number; at: number }[] = [];
  const count = 6_000;
  const filler = 'x'.repeat(2_048);
  for (let from = 0; from < count; from += 1_000) {
    const some = Array.from({ length: 1_000 }, (_, index) => ({
      partition: (from + index) % partitions,
      ...value(scheduled(`c-${from + index}`, { message: { default: { content: filler } } })),
    }));
    await produce(brokers, topic, some);
  }
  kafka.consume({
    groupId: topic,
    topics: [topic],
    handle: (batch) => {
      const bytes = batch.records.reduce((sum, { size }) => sum + size, 0);
      handed.push({ partition: batch.records[0]?.partition ?? -1, bytes, at: performance.now() });
      return handle(batch);
    },
  });
  try {
    await eventually(() => expect(handed).toHaveLength(partitions), PATIENT);
    // Longer than a member may be silent.
    await awayFor(12_000, performance.now());
    expect(handed.map(({ partition }) => partition).toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
    expect(handed.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThan(count * filler.length);
    expect(kafka.health()[0]).toMatchObject({ ok: true });
    isAway = false;
    await eventually(
      async () =>
        expect(await world.balance()).toMatchObject({ events: count, campaigns: count, duplicates: 0 }),
      PATIENT,
    );
    expect(lines.filter((line) => line.includes('joined the Kafka group'))).toHaveLength(1);
    const orders = await world.rows<{ in_order: boolean }>(
      `select bool_and(low > before) as in_order from (
         select min("offset") as low, lag(max("offset"), 1, -1) over (partition by partition order by received_at) as before
           from event group by partition, received_at) as chunks`,
    );
    expect(orders).toEqual([{ in_order: true }]);
  } finally {
    await kafka.close();
    await world.close();
  }
});

it('with Kafka away the outbox keeps what is to go out, and both ways go on once it is back', async () => {
  const found = await findKafka({ env: { ...process.env, KAFKA_BROKERS: '' } });
  if (found.kind === 'none' || found.kind === 'given')
    throw new Error('this test starts and stops a broker of its own');
  const broker: RunningKafka = await startKafka({ stateDir: join(folder, 'kafka'), found, partitions: 1 });
  const world = await IntakeWorld.open();
  const clock = new SystemClock();
  const topic = 'campaign.events';
  const kafka = connect(broker.brokers, [topic, 'campaign.events.dead']);
  const publisher = publisherOf(world.dataSource, kafka, { clock });
  kafka.consume({ groupId: 'outage', topics: [topic], handle: handlerOf(intakeOf(world.dataSource, clock)) });
  try {
    await produce(broker.brokers, topic, [value(scheduled('before')), { value: 'poison 1' }]);
    await eventually(
      async () => expect(await world.balance()).toMatchObject({ campaigns: 1, letters: 1 }),
      PATIENT,
    );
    await broker.stop();
    const since = performance.now();
    await expect(publisher.runOnce()).rejects.toThrow(/ECONNREFUSED|Connection/);
    await eventually(() => expect(kafka.health().filter(({ ok }) => !ok)).toHaveLength(2), PATIENT);
    await awayFor(AWAY_MS, since);
    expect(await world.rows(UNPUBLISHED_LETTERS)).toHaveLength(1);
    await broker.restart();
    await produce(broker.brokers, topic, [{ value: 'poison 2' }, value(scheduled('after'))]);
    await eventually(
      async () =>
        expect(await world.balance()).toMatchObject({ events: 4, campaigns: 2, letters: 2, duplicates: 0 }),
      PATIENT,
    );
    await eventually(async () => {
      await publisher.runOnce();
      expect(await world.rows('select id from outbox where published_at is null')).toEqual([]);
    }, PATIENT);
    const reader = readAll(broker.brokers, 'campaign.events.dead');
    await eventually(() => expect(reader.messages).toHaveLength(2), PATIENT);
    await reader.close();
    expect(kafka.health().every(({ ok }) => ok)).toBe(true);
  } finally {
    await kafka.close();
    await world.close();
    await broker.remove();
  }
});
