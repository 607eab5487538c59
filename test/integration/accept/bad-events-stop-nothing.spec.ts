// Bad events in good traffic, through Kafka and HTTP alike: one in ten of them is bad, all good ones arrive, and each bad
// one is refused with every reason that test/vectors/bad-events.jsonl names. Generated ones behind them stop nothing.
import { createHash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { Message } from 'kafkajs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { badEvent, badEvents, goodEvent, standing, type BadEvent } from '../../support/events/bad-events.js';
import { cloneDatabase, type TestDatabase } from '../../support/postgres/database.js';
import { eventually } from '../../support/eventually.js';
import { testKafka } from '../../support/kafka/kafka.js';
import {
  schedulerConfig,
  startScheduler,
  type TestScheduler,
} from '../../support/scheduler/running-scheduler.js';
import { anyBytes, anyJson, bentEvent, wholeEvent } from '../../support/events/wild-events.js';
import { addProject, SERVICE } from '../../support/scheduler/intake-world.js';
import { committedOffset, produce } from '../../support/scheduler/kafka-world.js';

const PATIENT = { withinMs: 90_000 };
/** Of ten events nine are good. */
const GOOD = 9;

let database: TestDatabase;
let scheduler: TestScheduler;
let publisher: string;
let brokers: readonly string[];
let topic: string;

beforeAll(async () => {
  const kafka = await testKafka();
  brokers = kafka.brokers;
  [topic = ''] = await kafka.newTopics(['events']);
  database = await cloneDatabase();
  scheduler = await startScheduler(
    schedulerConfig(database.url, {
      CARILLON_ROLES: 'accept,api',
      KAFKA_BROKERS: brokers.join(','),
      KAFKA_GROUP_ID: topic,
      KAFKA_EVENTS_TOPIC: topic,
    }),
  );
  await eventually(() => scheduler.dataSource.isInitialized);
  await addProject(scheduler.dataSource);
  publisher = await scheduler.bearer(['publisher'], [SERVICE]);
  await post(Buffer.from(JSON.stringify(standing(Date.now()))), 'cloudevents+json');
});
afterAll(async () => {
  await scheduler.close();
  await database.drop();
});

interface Problem {
  readonly pointer: string;
  readonly code: string;
}
interface Answer {
  readonly code?: string;
  readonly events?: readonly { readonly verdict: string; readonly problems?: readonly Problem[] }[];
}

async function post(body: Buffer, type: string): Promise<{ status: number; body: Answer }> {
  const response = await fetch(new URL('/v1/events', scheduler.url), {
    method: 'POST',
    headers: { authorization: publisher, 'content-type': `application/${type}` },
    body: new Uint8Array(body),
  });
  return { status: response.status, body: (await response.json()) as Answer };
}

const plain = (problems: readonly Problem[] = []): Problem[] =>
  problems.map(({ pointer, code }) => ({ pointer, code }));
const through = (via: 'kafka' | 'http'): BadEvent[] => badEvents.filter(({ only }) => (only ?? via) === via);
const goodOnes = (count: number): Buffer[] =>
  Array.from({ length: count }, () =>
    Buffer.from(JSON.stringify(goodEvent(`good-${randomUUID()}`, Date.now()))),
  );
const campaigns = async (): Promise<number> => {
  const [row] = await scheduler.dataSource.query<{ count: number }>('select count(*)::int from campaign');
  return row?.count ?? 0;
};

it('there are 200 of them at least, and they are of every kind', () => {
  expect(badEvents.length).toBeGreaterThanOrEqual(200);
  const kinds = new Set(badEvents.map(({ category }) => category));
  for (const kind of kinds)
    expect(badEvents.filter(({ category }) => category === kind).length, kind).toBeGreaterThan(1);
});

it('by Kafka', async () => {
  const before = await campaigns();
  const rows = through('kafka');
  const sent = rows.map((row) => ({ row, ...badEvent(row, Date.now()) }));
  const records = sent.flatMap(({ body, key, headers }) => [
    ...goodOnes(GOOD).map((value): Message => ({ value })),
    { value: body, key, headers },
  ]);
  // A batch has the same bounds as a record: the large events go alone.
  for (let from = 0; from < records.length; from += 10) {
    const ten = records.slice(from, from + 10);
    await produce(brokers, topic, ten);
  }
  const [last] = goodOnes(1);
  await produce(brokers, topic, [{ value: last ?? null }]);
  await eventually(async () => {
    expect(await campaigns()).toBe(before + rows.length * GOOD + 1);
  }, PATIENT);
  const refused = await scheduler.dataSource.query<{ hash: string; reasons: Problem[] }>(
    `select encode(body_hash, 'hex') as hash, reasons from rejection where topic = $1`,
    [topic],
  );
  const reasonsOf = new Map(refused.map(({ hash, reasons }) => [hash, plain(reasons)]));
  const found = sent.map(({ row, body }) => ({
    says: row.says,
    problems: reasonsOf.get(createHash('sha256').update(body).digest('hex')),
  }));
  expect(found).toEqual(rows.map(({ says, expect: problems }) => ({ says, problems })));
  expect(refused).toHaveLength(rows.length);
});

it('by HTTP', async () => {
  const before = await campaigns();
  const rows = through('http');
  let good = 0;
  for (const row of rows) {
    const { body } = badEvent(row, Date.now());
    const [first] = row.expect;
    const { says } = row;
    // Where the events cannot be separated, the whole body is refused; else good ones stand around it.
    const isUnreadable = first?.code === 'NOT_JSON' || first?.code === 'NOT_UTF8';
    const elements = [...goodOnes(4), body, ...goodOnes(GOOD - 4)].map(String);
    const { status, body: answer } = isUnreadable
      ? await post(body, 'cloudevents+json')
      : await post(Buffer.from(`[${elements.join(',')}]`), 'cloudevents-batch+json');
    const { code, events = [] } = answer;
    const found = { says, status, code, verdicts: events.map(({ verdict }) => verdict) };
    const verdicts = elements.map((_, index) => (index === 4 ? 'rejected' : 'accepted'));
    expect(found).toEqual(
      isUnreadable
        ? { says, status: 400, code: first.code, verdicts: [] }
        : { says, status: 202, code: undefined, verdicts },
    );
    const problems = isUnreadable ? row.expect : plain(events[4]?.problems);
    expect({ says, problems }).toEqual({ says, problems: row.expect });
    good += isUnreadable ? 0 : GOOD;
  }
  expect(await campaigns()).toBe(before + good);
});

/** A campaign of its own each time, so that generated events reach the database too. */
const generated = fc.oneof(
  { weight: 8, arbitrary: fc.uuid().chain((id) => bentEvent(ofNow(id))) },
  { weight: 1, arbitrary: anyJson },
  { weight: 1, arbitrary: anyBytes },
);
function ofNow(id: string): object {
  return {
    ...wholeEvent,
    id,
    subject: `wild-${id}`,
    source: '/shop/promotions',
    time: new Date().toISOString(),
  };
}

it('whatever is generated, HTTP answers, and never with a fault of ours', async () => {
  const seen = new Set<number>();
  await fc.assert(
    fc.asyncProperty(generated, async (body) => {
      const { status, body: answer } = await post(body, 'cloudevents+json');
      seen.add(status);
      expect(status).toBeLessThan(500);
      const codes = answer.events?.flatMap(({ problems = [] }) => problems.map(({ code }) => code)) ?? [];
      expect(codes).not.toContain('COULD_NOT_BE_TAKEN');
    }),
    { numRuns: 300 },
  );
  expect([...seen]).toEqual(expect.arrayContaining([202, 400, 422]));
});

it('whatever is generated, the partition goes on, and nothing of it is lost', async () => {
  const bodies = fc.sample(generated, 1_000);
  const from = await committedOffset(brokers, topic, topic);
  await produce(
    brokers,
    topic,
    bodies.map((value) => ({ value })),
  );
  await eventually(
    async () => expect(await committedOffset(brokers, topic, topic)).toBe(from + bodies.length),
    PATIENT,
  );
  const [kept] = await scheduler.dataSource.query<{ events: number; ours: number }>(
    `select count(*)::int as events,
            count(*) filter (where r.reasons @> '[{"code":"COULD_NOT_BE_TAKEN"}]')::int as ours
       from event e left join rejection r on r.event = e.id
      where e.topic = $1 and e."offset" >= $2`,
    [topic, from],
  );
  expect(kept).toEqual({ events: bodies.length, ours: 0 });
});
