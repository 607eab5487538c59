// A program: one reader of the topic, from its beginning, in a process of its own; prints how many events a second it took
// once its code was warm. Ours is put together as the scheduler does it.
import type { Consumer, EachMessagePayload } from 'kafkajs';
import { Client } from 'pg';
import { schedulerMigrations } from '../../migrations/scheduler/index.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database/database.js';
import { KafkajsConnection } from '../../src/platform/kafka/kafkajs-connection.js';
import { createLog } from '../../src/platform/logging/log.js';
import { AcceptEvents } from '../../src/scheduler/accept/accept-events.js';
import { EventParser } from '../../src/scheduler/accept/event-parser.js';
import { EventsConsumer } from '../../src/scheduler/accept/events.consumer.js';
import { loadZoneRules } from '../../src/zone-rules/load-zone-rules.js';
import { bareClient, PARTITIONS } from './events.js';

export interface Contest {
  /** Parses and drops; an insert an event, auto-commit; a transaction and an offset commit an event; the intake. */
  readonly kind: 'parse' | 'naive' | 'careful' | 'ours';
  readonly brokers: readonly string[];
  readonly topic: string;
  readonly groupId: string;
  readonly databaseUrl: string;
  /** Events before the clock runs, and while it does. */
  readonly warmUp: number;
  readonly count: number;
}

export interface Result {
  /** Events. */
  readonly perSecond: number;
  /** Processor time of this process an event, milliseconds. */
  readonly processorMs: number;
}

/** Connections of intake and planning, as the scheduler has them. */
const POOL = 5;
/** What a service team writes for itself: a row for each event, which keeps it from being taken twice. */
const TABLE = `create table if not exists public.naive_inbox
  (source text, id text, body jsonb not null, taken_at timestamptz not null default now(), primary key (source, id))`;
const INSERT = 'insert into public.naive_inbox (source, id, body) values ($1, $2, $3) on conflict do nothing';

const contest = JSON.parse(process.argv[2] ?? '') as Contest;
let taken = 0;
let isOver = false;
let beganAt = 0;
let processor = process.cpuUsage();

/** Called with what is kept for good, and with what was read. */
function took(count: number): void {
  taken += count;
  if (beganAt === 0 && taken >= contest.warmUp) {
    beganAt = performance.now();
    processor = process.cpuUsage();
    taken = 0;
  } else if (beganAt > 0 && !isOver && taken >= contest.count) {
    isOver = true;
    const perSecond = (taken / (performance.now() - beganAt)) * 1_000;
    const { user, system } = process.cpuUsage(processor);
    const result: Result = { perSecond, processorMs: (user + system) / 1_000 / taken };
    process.stdout.write(`${JSON.stringify(result)}\n`);
  }
}

async function bareConsumer(): Promise<Consumer> {
  const consumer = bareClient(contest.brokers).consumer({ groupId: contest.groupId });
  await consumer.connect();
  await consumer.subscribe({ topics: [contest.topic], fromBeginning: true });
  return consumer;
}

async function parse(): Promise<void> {
  const consumer = await bareConsumer();
  await consumer.run({
    partitionsConsumedConcurrently: PARTITIONS,
    eachBatch: async ({ batch }) => {
      for (const { value } of batch.messages) JSON.parse(value?.toString() ?? 'null');
      took(batch.messages.length);
    },
  });
}

async function oneByOne(): Promise<void> {
  const sql = new Client({ connectionString: contest.databaseUrl });
  await sql.connect();
  await sql.query(TABLE);
  await sql.query('truncate public.naive_inbox');
  const consumer = await bareConsumer();
  const isCareful = contest.kind === 'careful';
  await consumer.run({
    autoCommit: !isCareful,
    eachMessage: async ({ topic, partition, message }: EachMessagePayload) => {
      const text = message.value?.toString() ?? '';
      const { source, id } = JSON.parse(text) as { source: string; id: string };
      if (isCareful) await sql.query('begin');
      await sql.query(INSERT, [source, id, text]);
      if (isCareful) {
        await sql.query('commit');
        const offset = String(BigInt(message.offset) + 1n);
        await consumer.commitOffsets([{ topic, partition, offset }]);
      }
      took(1);
    },
  });
}

async function ours(): Promise<void> {
  const database = createDataSource({
    url: contest.databaseUrl,
    schema: 'scheduler',
    migrations: schedulerMigrations,
    poolSize: POOL,
    applicationName: 'bench',
  });
  await database.initialize();
  const clock = new SystemClock();
  const log = createLog('bench', 'warn');
  const { brokers, topic, groupId } = contest;
  const rules = loadZoneRules();
  const intake = new AcceptEvents({
    inTransaction: (work) => database.transaction(work),
    clock,
    log,
    rules,
    parser: new EventParser({ rules }),
    topics: { dead: `${topic}.dead`, outcomes: `${topic}.outcomes` },
  });
  const consumer = new EventsConsumer({ intake, sql: database, log });
  const newTopic = { partitions: PARTITIONS, replicas: 1 };
  const kafka = new KafkajsConnection({ brokers, tls: false, topics: [topic], newTopic }, { clock, log });
  const next = new Map<number, number>();
  kafka.consume({
    groupId,
    topics: [topic],
    begin: (assigned) => consumer.begin(assigned),
    handle: (batch) =>
      consumer.handle({
        ...batch,
        done: async (record) => {
          await batch.done(record);
          const behind = Number(record.offset) + 1;
          took(behind - (next.get(record.partition) ?? 0));
          next.set(record.partition, behind);
        },
      }),
  });
}

process.once('SIGTERM', () => process.exit(0));
await (contest.kind === 'parse' ? parse() : contest.kind === 'ours' ? ours() : oneByOne());
