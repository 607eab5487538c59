// A whole scheduler process with Kafka, as its modules wire it, takes events, rejects them and publishes.
import { expect, it } from 'vitest';
import { cloneDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import { testKafka } from '../../support/kafka/kafka.js';
import { schedulerConfig, startScheduler } from '../../support/scheduler/running-scheduler.js';
import { batchBytes, produceBatch, recordsBytes } from '../../support/kafka/record-batch.js';
import { addProject, scheduled, type Json } from '../../support/scheduler/intake-world.js';
import { produce, readAll } from '../../support/scheduler/kafka-world.js';

const PATIENT = { withinMs: 90_000 };
const now = (): string => new Date().toISOString();

it('takes from its topic, makes the topics that are missing, publishes dead letters, and drains', async () => {
  const { brokers, newTopics } = await testKafka();
  const [events = ''] = await newTopics(['events']);
  const dead = `${events}.dead`;
  const database = await cloneDatabase();
  const scheduler = await startScheduler(
    schedulerConfig(database.url, {
      CARILLON_ROLES: 'accept,publish,api',
      KAFKA_BROKERS: brokers.join(','),
      KAFKA_GROUP_ID: events,
      KAFKA_EVENTS_TOPIC: events,
      KAFKA_DEAD_TOPIC: dead,
    }),
  );
  try {
    await eventually(() => scheduler.dataSource.isInitialized);
    await addProject(scheduler.dataSource);
    const good = { key: 'shop-app/spring', value: JSON.stringify(scheduled('spring', {}, { time: now() })) };
    const headers = Array.from({ length: 1_001 }, (_, index) => [String(index), ''] as const);
    await produceBatch(
      brokers,
      { topic: events },
      batchBytes({ count: 1, body: recordsBytes([{ headers }]) }),
    );
    await produce(brokers, events, [{ value: 'poison' }, good]);
    await eventually(async () => {
      expect(await scheduler.dataSource.query('select campaign_id from campaign')).toEqual([
        { campaign_id: 'spring' },
      ]);
    }, PATIENT);
    const reader = readAll(brokers, dead);
    await eventually(() => expect(reader.messages).toHaveLength(2), PATIENT);
    await reader.close();
    // Letters without a key may lie in two partitions, and come in either order.
    const letters = reader.messages.map(({ value }) => (JSON.parse(value) as { data: Json }).data);
    expect(letters.sort((a, b) => Number(a['offset']) - Number(b['offset']))).toMatchObject([
      { offset: '0', reasons: [{ code: 'UNREADABLE' }] },
      { offset: '1', reasons: [{ code: 'NOT_JSON' }] },
    ]);
    const metrics = await (await fetch(scheduler.metricsUrl)).text();
    expect(metrics).toContain('carillon_kafka_records_passed_over_total 1\n');
    const health = await scheduler.call('GET', '/health/ready', {
      authorization: await scheduler.bearer(['admin']),
    });
    expect(JSON.stringify(health.body)).not.toContain('consumer');
  } finally {
    await scheduler.close();
    await database.drop();
  }
});
