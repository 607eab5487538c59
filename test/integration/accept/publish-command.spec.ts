// carillon publish against a running scheduler: what it says of each event, and how it ends.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { carillon, startCompiled } from '../../support/compiled.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import { testKafka } from '../../support/kafka/kafka.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { addProject, scheduled, SERVICE, type Json } from '../../support/scheduler/intake-world.js';
import { readAll } from '../../support/scheduler/kafka-world.js';

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

it('says which refused event is a template of examples/, and of no other', async () => {
  const template = { ...event('template', { name: '{{name}}' }), time: '{{now}}' };
  const { stdout } = await carillon(['publish', file('template.json', JSON.stringify(template))], env);
  expect(stdout).toMatch(/WRONG_FORMAT\)\n {2}\{\{now\}\}, \{\{name\}\} stand for what the demo fills in/);
  const greeting = event('greeting', { message: { default: { content: 'Hello {{name}}' } } });
  const taken = await carillon(['publish', file('greeting.json', JSON.stringify(greeting))], env);
  expect(taken).toMatchObject({ code: 0, stdout: expect.not.stringContaining('stand') as unknown });
});

it('takes UTF-8 with a byte order mark, and refuses what is not UTF-8', async () => {
  const marked = (campaignId: string): string => `\uFEFF${JSON.stringify(event(campaignId))}`;
  expect(await carillon(['publish', file('marked.json', marked('marked'))], env)).toMatchObject({ code: 0 });
  expect(await carillon(['publish', '-'], env, marked('marked-too'))).toMatchObject({ code: 0 });
  const [before = '', after = ''] = JSON.stringify(
    event('korean', { message: { default: { content: 'HERE' } } }),
  ).split('HERE');
  // 안녕 in CP949.
  const korean = Buffer.concat([Buffer.from(before), Buffer.from('bec8b3e7', 'hex'), Buffer.from(after)]);
  const path = join(folder, 'korean.json');
  writeFileSync(path, korean);
  const refused = await carillon(['publish', path], env);
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain(
    'korean.json is not UTF-8 (it may be CP949, or another encoding of Windows)',
  );
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

describe('by Kafka, followed', () => {
  let brokers: string;
  let intake: TestScheduler;
  let kafkaEnv: Record<string, string>;
  let own: TestDatabase;

  beforeAll(async () => {
    const kafka = await testKafka();
    brokers = kafka.brokers.join(',');
    const [topic = '', dead = ''] = await kafka.newTopics(['followed', 'followed-dead']);
    const topics = { KAFKA_BROKERS: brokers, KAFKA_EVENTS_TOPIC: topic, KAFKA_DEAD_TOPIC: dead };
    own = await cloneDatabase();
    const config = schedulerConfig(own.url, { CARILLON_ROLES: 'api,accept,plan,follow', ...topics });
    intake = await startScheduler(config);
    await eventually(() => intake.dataSource.isInitialized);
    await addProject(intake.dataSource);
    await intake.dataSource.query("update project set sources = '{/shop/*}'");
    const bearer = await intake.bearer(['publisher'], [SERVICE]);
    kafkaEnv = { ...topics, CARILLON_URL: intake.url, CARILLON_TOKEN: bearer.replace('Bearer ', '') };
  });
  afterAll(async () => {
    await intake.close();
    await own.drop();
  });

  const publish = (events: readonly Json[], more: readonly string[] = []) =>
    carillon(
      ['publish', file('followed.json', JSON.stringify(events)), '--kafka', '--follow', ...more],
      kafkaEnv,
    );
  /** An event that was made in time, and whose time is over when it arrives. */
  const over = (name: string, data: Json = {}): Json => ({
    ...event(name, {
      audience: { type: 'USER', to: ['a'] },
      delivery: { at: new Date(Date.now() - 3_600_000).toISOString() },
      ...data,
    }),
    time: new Date(Date.now() - 7_200_000).toISOString(),
  });

  it('says what became of each and how its campaign ended, with what planning warned of', async () => {
    const option = { title: 7 };
    const { code, stdout, stderr } = await publish([
      over('kafka-over', { message: { default: { content: 'c', option } } }),
    ]);
    expect({ code, stdout, stderr }).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(
        /^1 sent to .*\nevent 1 .*: taken, campaign [^]*campaign kafka-over: [^]*NOTHING_WILL_LEAVE[^]*\n {2}- warning: \/message\/default\/option\/title .*WRONG_OPTION[^]*/,
      ) as unknown,
    });
    expect(stdout.match(/WRONG_OPTION/g)).toHaveLength(1);
    expect(stdout).toMatch(
      /campaign kafka-over: expired, all of it was too late by the policy[^]*kafka-over: NOBODY was reached/,
    );
  });

  it('ends with 1 on a refusal, with every reason; takes one again as what it is, and an other content as refused', async () => {
    const twice = over('kafka-twice');
    const wrong = event('kafka-wrong', { extra: 1, name: '' });
    const refused = await publish([twice, wrong, twice]);
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/event 1 .*: taken/);
    expect(refused.stdout).toMatch(/event 2 .*: REFUSED, rejection \S+\n.*\/data\/name .*\n.*UNKNOWN_MEMBER/);
    expect(refused.stdout).toMatch(/event 3 .*: was taken before/);
    // An earlier arrival of the event is no verdict on this one.
    const other = { ...twice, data: { ...(twice['data'] as Json), name: 'other' } };
    expect(await publish([other])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/REFUSED[^]*DUPLICATE_WITH_DIFFERENT_CONTENT/) as unknown,
    });
    expect(await publish([twice])).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/event 1 .*: was taken before[^]*expired/) as unknown,
    });
  });

  it('prints one document for programs', async () => {
    const { code, stdout } = await publish([over('kafka-json')], ['--json']);
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({
      sent: 1,
      events: [{ index: 0, verdict: 'accepted' }],
      outcomes: [
        { campaignId: 'kafka-json', state: 'expired', attention: { code: 'ALL_EXPIRED' }, reached: false },
      ],
    });
  });

  it('says what was not seen, and that it waits meanwhile', async () => {
    const [unread = ''] = await (await testKafka()).newTopics(['unread']);
    const args = ['publish', file('unread.json', JSON.stringify(over('unread'))), '--kafka', '--follow'];
    const { code, stdout, stderr } = await carillon([...args, '--wait', '5'], {
      ...kafkaEnv,
      KAFKA_EVENTS_TOPIC: unread,
    });
    expect({ code, stdout, stderr }).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/event 1 .*: NOT SEEN for 5 s/) as unknown,
      stderr: expect.stringMatching(/^waiting for 1 event to be seen by the scheduler \(\d s/) as unknown,
    });
  });

  it('ends at Ctrl-C with a line, and nothing of a stack', async () => {
    const later = event('kafka-later', { delivery: { at: new Date(Date.now() + 9e8).toISOString() } });
    const running = startCompiled('cli/carillon.js', {
      args: ['publish', '-', '--kafka', '--follow'],
      env: kafkaEnv,
      input: JSON.stringify(later),
    });
    await eventually(() => running.stdout.includes('kafka-later: planned'));
    running.process.kill('SIGINT');
    const { code, stderr } = await running.ended;
    // On a busy machine it says several times that it waits.
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: expect.stringMatching(
        /^(waiting for .*\n)*not followed any further; what was published goes on\n$/,
      ) as unknown,
    });
  });

  it('needs the address of the scheduler and a token, and of each event a name: else nothing is sent', async () => {
    const sent: string[] = ['publish', file('named.json', JSON.stringify(over('x'))), '--kafka', '--follow'];
    const { CARILLON_URL: url = '', CARILLON_TOKEN: token = '', ...kafka } = kafkaEnv;
    const cases: [Record<string, string>, string][] = [
      [
        { ...kafka, CARILLON_TOKEN: token },
        '--follow asks the scheduler what became of what Kafka took: set CARILLON_URL',
      ],
      [{ ...kafka, CARILLON_URL: url }, 'took: set CARILLON_TOKEN, or CARILLON_TOKEN_FILE'],
    ];
    for (const [given, text] of cases)
      expect(await carillon(sent, given)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(text) as unknown,
      });
    expect(await publish([{ specversion: '1.0', id: 'x' }])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('event 1 has no source and id') as unknown,
    });
    expect((await publish([over('x')], ['--wait', '0'])).code).toBe(2);
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
