// A whole scheduler process with Kafka: what its modules put together takes events, rejects them and publishes.
import { expect, it } from 'vitest';
import { cloneDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { testKafka } from '../../support/kafka.js';
import { schedulerConfig, startScheduler } from '../../support/scheduler.js';
import { addProject, scheduled, type Json } from './intake-world.js';
import { produce, readAll } from './kafka-world.js';

const PATIENT = { withinMs: 30_000 };
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
    await produce(brokers, events, [{ value: 'poison' }, good]);
    await eventually(async () => {
      expect(await scheduler.dataSource.query('select campaign_id from campaign')).toEqual([
        { campaign_id: 'spring' },
      ]);
    }, PATIENT);
    const reader = await readAll(brokers, dead);
    await eventually(() => expect(reader.messages).toHaveLength(1), PATIENT);
    await reader.close();
    expect(JSON.parse(reader.messages[0]?.value ?? '') as Json).toMatchObject({
      data: { reasons: [{ code: 'NOT_JSON' }] },
    });
    const health = await scheduler.call('GET', '/health/ready', {
      authorization: await scheduler.bearer(['admin']),
    });
    expect(JSON.stringify(health.body)).not.toContain('consumer');
  } finally {
    await scheduler.close();
    await database.drop();
  }
});
