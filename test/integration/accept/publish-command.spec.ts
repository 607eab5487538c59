// carillon publish against a running scheduler: what it says of each event, and how it ends.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carillon } from '../../support/compiled.js';
import { cloneDatabase, type TestDatabase } from '../../support/database.js';
import { eventually } from '../../support/eventually.js';
import { testKafka } from '../../support/kafka.js';
import { schedulerConfig, startScheduler, type TestScheduler } from '../../support/scheduler.js';
import { addProject, scheduled, SERVICE, type Json } from './intake-world.js';
import { readAll } from './kafka-world.js';

let database: TestDatabase;
let scheduler: TestScheduler;
let env: Record<string, string>;
const folder = mkdtempSync(join(tmpdir(), 'publish-'));

beforeAll(async () => {
  database = await cloneDatabase();
  scheduler = await startScheduler(schedulerConfig(database.url, { CARILLON_ROLES: 'api,plan' }));
  await eventually(() => scheduler.dataSource.isInitialized);
  await addProject(scheduler.dataSource);
  const bearer = await scheduler.bearer(['publisher'], [SERVICE]);
  env = { CARILLON_URL: scheduler.url, CARILLON_TOKEN: bearer.replace('Bearer ', '') };
});
afterAll(async () => {
  await scheduler.close();
  await database.drop();
  rmSync(folder, { recursive: true });
});

const event = (campaignId: string, data: Json = {}): Json =>
  scheduled(campaignId, data, { time: new Date().toISOString() });

function file(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

it('publishes JSON, arrays and lines, names every reason of a refusal, and then ends with 1', async () => {
  const lines = [event('one'), event('two')].map((one) => JSON.stringify(one)).join('\n');
  const good = await carillon(['publish', file('lines.ndjson', lines)], env);
  expect(good).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/event 2 .*: taken, campaign /) as unknown,
  });
  const mixed = file('array.json', JSON.stringify([event('three'), event('four', { extra: 1 })]));
  const bad = await carillon(['publish', mixed], env);
  expect(bad.code).toBe(1);
  expect(bad.stdout).toMatch(/event 1 .*: taken[^]*event 2 .*REFUSED[^]*\/data\/extra .*UNKNOWN_MEMBER/);
});

it('publishes what comes on standard input, and prints what it is warned of', async () => {
  const warned = event('piped', { message: { default: { content: 'c', option: { tittle: 'Sale' } } } });
  const { code, stdout } = await carillon(['publish', '-'], env, JSON.stringify(warned));
  expect({ code, stdout }).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /: taken, campaign .*\n {2}- warning: \/message\/default\/option\/tittle .*\(UNKNOWN_OPTION\)/,
    ) as unknown,
  });
});

describe('by Kafka', () => {
  it('sends to the topic of events, under the key that keeps a campaign in order, and names the dead letters', async () => {
    const kafka = await testKafka();
    const [topic = ''] = await kafka.newTopics(['published']);
    const sent = [event('by-kafka'), { specversion: '1.0' }];
    const { code, stdout } = await carillon(
      ['publish', file('kafka.json', JSON.stringify(sent)), '--kafka', kafka.brokers.join(',')],
      { KAFKA_EVENTS_TOPIC: topic, KAFKA_DEAD_TOPIC: 'shop.dead' },
    );
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^2 sent to ${topic}.* on shop\\.dead `)) as unknown,
    });
    const reader = readAll(kafka.brokers, topic);
    try {
      await eventually(() => reader.messages.length === 2);
    } finally {
      await reader.close();
    }
    expect(reader.messages).toEqual(
      sent.map((one, index) => ({
        key: index === 0 ? `${SERVICE}/by-kafka` : null,
        value: JSON.stringify(one),
        headers: { 'content-type': 'application/cloudevents+json' },
      })),
    );
  });

  it('ends with 2 where half of the SASL settings are there, and where no broker is named', async () => {
    const one = file('sasl.json', JSON.stringify(event('x')));
    const half = await carillon(['publish', one, '--kafka', '127.0.0.1:9'], { KAFKA_USERNAME: 'shop' });
    expect(half).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('KAFKA_SASL_MECHANISM and KAFKA_PASSWORD: required') as unknown,
    });
    expect(await carillon(['publish', one, '--kafka'], {})).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('name brokers') as unknown,
    });
  });
});

it('follows a campaign to its end, and ends with 1 where planning refuses it', async () => {
  // A batch: the plan of a single event is compared before it is taken.
  const refused = ['wrong', 'too'].map((name) => event(name, { planHash: 'f'.repeat(64) }));
  const { code, stdout } = await carillon(
    ['publish', file('follow.json', JSON.stringify(refused)), '--follow'],
    env,
  );
  expect({ code, stdout }).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('wrong: rejected') as unknown,
  });
});

it('ends with 2 for what cannot be used', async () => {
  expect((await carillon(['publish', file('none.json', '{')], env)).code).toBe(2);
  expect((await carillon(['publish', join(folder, 'no-such-file')], env)).code).toBe(2);
  expect((await carillon(['publish', file('one.json', JSON.stringify(event('x')))], {})).code).toBe(2);
});
