// Events whose offsets are committed and that the database has lost, as after a failover or a restore: they are read again, also
// where nothing more comes, and also by a process that was not there when the database was put back.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.js';
import { testKafka } from '../../support/kafka/kafka.js';
import { OldCopy } from '../../support/postgres/old-copy.js';
import { addProject, scheduled } from '../../support/scheduler/intake-world.js';
import { committedOffset, produce } from '../../support/scheduler/kafka-world.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { World } from '../../support/scheduler/world.js';

const PATIENT = { withinMs: 90_000 };

let old: OldCopy;
let world: World;
let topic: string;
let brokers: readonly string[];
const running: TestScheduler[] = [];

beforeEach(async () => {
  old = await OldCopy.start();
  world = await World.migrated(await old.postgres.ensureDatabase('carillon'));
  await addProject(world.dataSource);
  const kafka = await testKafka();
  ({ brokers } = kafka);
  [topic = ''] = await kafka.newTopics(['events']);
});
afterEach(async () => {
  await stopAll();
  await world.close();
  await old.remove();
});

async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((one) => one.close()));
}

async function start(): Promise<void> {
  const config = schedulerConfig(world.url, {
    CARILLON_ROLES: 'accept',
    KAFKA_BROKERS: brokers.join(','),
    KAFKA_GROUP_ID: topic,
    KAFKA_EVENTS_TOPIC: topic,
    KAFKA_DEAD_TOPIC: `${topic}.dead`,
  });
  running.push(await startScheduler(config));
}

async function publish(...names: string[]): Promise<void> {
  const values = names.map((name) => ({
    value: JSON.stringify(scheduled(name, {}, { time: new Date().toISOString() })),
  }));
  await produce(brokers, topic, values);
}

async function areTaken(...names: string[]): Promise<void> {
  await eventually(async () => {
    const rows = await world.dataSource.query<{ name: string }>(
      'select campaign_id as name from campaign order by 1',
    );
    expect(rows.map(({ name }) => name)).toEqual(names);
  }, PATIENT);
  await eventually(
    async () => expect(await committedOffset(brokers, topic, topic)).toBe(names.length),
    PATIENT,
  );
}

/** Two are taken that are in the copy, and two that are lost. */
async function loseTwo(): Promise<void> {
  await start();
  await publish('a', 'b');
  await areTaken('a', 'b');
  await old.take();
  await publish('c', 'd');
  await areTaken('a', 'b', 'c', 'd');
}

it('are read again by a process that lives through it, though nothing more comes', async () => {
  await loseTwo();
  await old.putBack();
  await areTaken('a', 'b', 'c', 'd');
  await publish('e');
  await areTaken('a', 'b', 'c', 'd', 'e');
  const rows = await world.dataSource.query('select from duplicate');
  expect(rows).toEqual([]);
}, 240_000);

it('are read again by one that starts afterwards, before what comes next', async () => {
  await loseTwo();
  await stopAll();
  await old.putBack();
  await publish('e');
  await start();
  await areTaken('a', 'b', 'c', 'd', 'e');
  const rows = await world.dataSource.query<{ offset: string }>('select "offset" from event order by id');
  expect(rows.map(({ offset }) => offset)).toEqual(['0', '1', '2', '3', '4']);
}, 240_000);
