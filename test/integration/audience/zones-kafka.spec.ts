// Zones from a real topic into the directory, by a whole scheduler: its own group beside that of events, and none of it where no
// topic is configured.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { testKafka, type TestKafka } from '../../support/kafka/kafka.js';
import { produce } from '../../support/scheduler/kafka-world.js';
import { ListWorld, SERVICE } from '../../support/scheduler/list-world.js';

const PATIENT = { withinMs: 100_000 };

let parts: TestKafka;
let world: ListWorld;
let topics: { events: string; dead: string; outcomes: string; zones: string };

beforeAll(async () => {
  parts = await testKafka();
  const [events = '', dead = '', outcomes = '', zones = ''] = await parts.newTopics([
    'events',
    'dead',
    'outcomes',
    'zones',
  ]);
  topics = { events, dead, outcomes, zones };
  world = await ListWorld.open(
    {
      CARILLON_ROLES: 'api,accept',
      KAFKA_BROKERS: parts.brokers.join(','),
      KAFKA_GROUP_ID: `spec-${zones}`,
      KAFKA_EVENTS_TOPIC: events,
      KAFKA_DEAD_TOPIC: dead,
      KAFKA_OUTCOMES_TOPIC: outcomes,
      KAFKA_ZONES_TOPIC: zones,
    },
    { sources: ['/shop/*'] },
  );
});
afterAll(() => world.close());

const record = (userId: string, zone: string | null, secondsAgo = 0) => ({
  key: `${SERVICE}/${userId}`,
  value: JSON.stringify({
    specversion: '1.0',
    id: `${userId}-${secondsAgo}`,
    source: '/shop/crm',
    type: 'carillon.recipient.zone.v1',
    time: new Date(world.clock.now() - secondsAgo * 1_000).toISOString(),
    data: { serviceId: SERVICE, userId, zone },
  }),
});

it('takes what the topic says, the newest of each user, and keeps its place', async () => {
  await produce(parts.brokers, topics.zones, [
    record('anna', 'Asia/Seoul', 5),
    record('anna', 'Asia/Tokyo', 10),
    record('ben', 'Nowhere/Land'),
    record('cem', 'Europe/Paris'),
    record('last', 'Asia/Seoul'),
  ]);
  const { dataSource } = world.scheduler;
  const rows = () =>
    dataSource.query<{ user_id: string; zone: string }>(
      'select user_id, zone from recipient_zone order by user_id',
    );
  await eventually(async () => (await rows()).some((row) => row.user_id === 'last'), PATIENT);
  expect(await rows()).toEqual([
    { user_id: 'anna', zone: 'Asia/Seoul' },
    { user_id: 'cem', zone: 'Europe/Paris' },
    { user_id: 'last', zone: 'Asia/Seoul' },
  ]);
  const places = await dataSource.query(
    'select next_offset::int as next from partition_place where topic = $1',
    [topics.zones],
  );
  expect(places).toEqual([{ next: 5 }]);
  const metric = await world.scheduler.internals.metrics.getSingleMetricAsString(
    'carillon_zone_records_passed_over_total',
  );
  expect(metric).toContain('{code="ZONE_UNKNOWN"} 1');
});
