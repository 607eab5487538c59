// The intake while its database or its brokers are away: it keeps its place, says so, and goes on where it was.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schedulerMigrations } from '../../../migrations/scheduler/index.js';
import { SystemClock } from '../../../src/platform/clock.js';
import { createDataSource } from '../../../src/platform/database/database.js';
import { migrate } from '../../../src/platform/database/migrate-database.js';
import { findKafka } from '../../../tools/kafka/find.js';
import { startKafka, type RunningKafka } from '../../../tools/kafka.js';
import { startPostgres, type RunningPostgres } from '../../../tools/postgres.js';
import { eventually } from '../../support/eventually.js';
import { testKafka } from '../../support/kafka.js';
import { testLength } from '../../support/lengths.js';
import { addProject, dataSourceOf, intakeOf, IntakeWorld, scheduled, type Json } from './intake-world.js';
import { committedOffset, connect, handlerOf, produce, publisherOf, readAll } from './kafka-world.js';

/** Real milliseconds that a part stays away. */
const AWAY_MS = testLength('OUTAGE_SECONDS', { normal: 3, long: 20 }) * 1_000;
const PATIENT = { withinMs: AWAY_MS + 30_000 };
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
