// One run: a scheduler (or several) in production's shape on a database of its own, campaigns published to Kafka, and
// what their whole life took, to the last outcome that came back.
import { scheduler } from 'node:timers/promises';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import type { Message } from 'kafkajs';
import { makeMissingTopics } from '../../src/platform/kafka/kafkajs-topics.js';
import type { RunningKafka } from '../../tools/kafka.js';
import type { RunningPostgres } from '../../tools/postgres.js';
import { startProgram, type Program } from '../dispatch/program.js';
import { World } from '../dispatch/world.js';
import { postgresMs, processorMsOf } from '../process-time.js';
import { addEnded, addDaysBefore } from './beside.js';
import type { Seen } from './calls-seen.js';
import type { Read, ReaderSettings } from './reader.js';
import { loadOf, SOURCE, type Load, type Shape } from './shapes.js';

export interface House {
  readonly root: string;
  readonly postgres: RunningPostgres;
  readonly kafka: RunningKafka;
  readonly stub: Program;
  readonly pushUrl: string;
}

export interface Setting {
  readonly shape: Shape;
  readonly sends: number;
  readonly replicas: number;
  readonly inFlight: number;
  /** Partitions of past days, and ended sends in them. */
  readonly pastDays: number;
  readonly ended: number;
}

export interface Life {
  readonly sends: number;
  /** From the first event to the last outcome. */
  readonly ms: number;
  /** Milliseconds of processor time by process. */
  readonly processor: Readonly<Record<'scheduler' | 'postgres' | 'stub' | 'broker', number>>;
  readonly walBytes: number;
  readonly keptBytes: number;
  /** How many rows were added to each table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly outcomes: number;
  readonly seen: Seen;
  readonly longestGapMs: number;
  /** First and last of each stage, milliseconds after the first event. */
  readonly stages: Readonly<Record<string, readonly [first: number, last: number]>>;
}

const WARM_UP = 2_000;
const ROLES = 'accept,plan,dispatch,follow,publish,api';
/** The stages of a life, by types of outcomes. */
const STAGES = {
  accepted: 'campaign.accepted',
  planned: 'campaign.planned',
  dispatched: 'send.accepted',
  followed: 'send.sent',
} as const;

export async function oneRun(house: House, name: string, setting: Setting): Promise<Life> {
  const { root, postgres, kafka, pushUrl } = house;
  const { shape, inFlight, replicas } = setting;
  const topics = { events: `${name}.events`, dead: `${name}.dead`, outcomes: `${name}.outcomes` };
  await withKafka(kafka.brokers, (client) => makeTopics(client, Object.values(topics)));
  const world = await World.open(root, postgres, name);
  const running: Program[] = [];
  try {
    await world.project(pushUrl, inFlight);
    await world.sql.query('update project set sources = array[$1], max_to = $2', [SOURCE, shape.idsEach]);
    if (setting.pastDays > 0)
      await addEnded(world.sql, await addDaysBefore(world.sql, setting.pastDays), setting.ended);
    for (let replica = 0; replica < replicas; replica += 1)
      running.push(
        await world.scheduler(ROLES, {
          KAFKA_BROKERS: kafka.brokers.join(','),
          KAFKA_GROUP_ID: name,
          KAFKA_EVENTS_TOPIC: topics.events,
          KAFKA_DEAD_TOPIC: topics.dead,
          KAFKA_OUTCOMES_TOPIC: topics.outcomes,
          LOG_LEVEL: 'info',
        }),
      );
    const lived = (load: Load, prefix: string) => live(house, topics, load, prefix);
    await lived(loadOf(shape, WARM_UP, 'warm'), 'warm');
    return await measured(house, { world, schedulers: running, pastDays: setting.pastDays }, () =>
      lived(loadOf(shape, setting.sends, 'life'), 'life'),
    );
  } finally {
    for (const program of running) await program.stop();
    await world.close();
  }
}

interface Lived {
  readonly beganAt: number;
  readonly read: Read;
  readonly load: Load;
}

/** From the first event to the outcome that completes the last campaign. */
async function live(
  { root, kafka }: House,
  topics: { readonly events: string; readonly outcomes: string },
  load: Load,
  prefix: string,
): Promise<Lived> {
  const settings: ReaderSettings = {
    brokers: kafka.brokers,
    topic: topics.outcomes,
    prefix,
    campaigns: load.campaigns,
  };
  const reader = startProgram(root, 'dist/bench/life/reader.js', { args: [JSON.stringify(settings)] });
  try {
    await reader.line((text) => text === 'reading');
    // Its group has its partitions a moment later.
    await scheduler.wait(1_000);
    let beganAt = 0;
    await withKafka(kafka.brokers, async (client) => {
      const producer = client.producer({ createPartitioner: Partitioners.DefaultPartitioner });
      await producer.connect();
      beganAt = Date.now();
      for (const messages of inRequests(load.messages))
        await producer.send({ topic: topics.events, messages });
      await producer.disconnect();
    });
    const read = JSON.parse(await reader.line((text) => text.startsWith('{"byType"'))) as Read;
    return { beganAt, read, load };
  } finally {
    await reader.stop();
  }
}

interface Measured extends Pick<Setting, 'pastDays'> {
  readonly world: World;
  readonly schedulers: readonly Program[];
}

async function measured(
  { postgres, kafka, stub, pushUrl }: House,
  { world, schedulers, pastDays }: Measured,
  work: () => Promise<Lived>,
): Promise<Life> {
  // A table of ten million rows is not written anew for this: then what vacuum leaves is kept.
  const compact = pastDays === 0 ? 'vacuum (full, analyze)' : 'vacuum (analyze)';
  await world.sql.query(compact);
  await world.sql.query('checkpoint');
  await (await fetch(`${pushUrl}/seen`)).json();
  const size = () => sizeOf(world);
  const counts = () => countsOf(world);
  const processor = () => ({
    scheduler: schedulers.reduce((sum, { pid }) => sum + processorMsOf(pid), 0),
    postgres: postgresMs(postgres.pid),
    stub: processorMsOf(stub.pid),
    broker: processorMsOf(kafka.pid),
  });
  const [bytes, rows] = [await size(), await counts()];
  const [lsn, before] = [await walAt(world), processor()];
  const { beganAt, read, load } = await work();
  const [after, wal] = [processor(), (await walAt(world)) - lsn];
  const seen = (await (await fetch(`${pushUrl}/seen`)).json()) as Seen;
  const sent = read.byType['send.sent']?.count ?? 0;
  if (sent !== load.sends || seen.posts !== load.sends)
    throw new Error(`${load.sends} sends: ${seen.posts} calls and ${sent} published as sent`);
  const added = Object.entries(await counts()).map(([table, n]) => [table, n - (rows[table] ?? 0)] as const);
  await world.sql.query(compact);
  const stages = Object.entries(STAGES).map(([stage, kind]) => {
    const { first = beganAt, last = beganAt } = read.byType[kind] ?? {};
    return [stage, [first - beganAt, last - beganAt]] as const;
  });
  return {
    sends: load.sends,
    ms: read.lastAt - beganAt,
    processor: {
      scheduler: after.scheduler - before.scheduler,
      postgres: after.postgres - before.postgres,
      stub: after.stub - before.stub,
      broker: after.broker - before.broker,
    },
    walBytes: wal,
    keptBytes: (await size()) - bytes,
    rows: Object.fromEntries(added.filter(([, n]) => n >= load.sends / 100)),
    outcomes: Object.values(read.byType).reduce((sum, { count }) => sum + count, 0),
    seen,
    longestGapMs: read.longestGapMs,
    stages: Object.fromEntries([...stages, ['published', [0, read.lastAt - beganAt] as const]]),
  };
}

async function walAt(world: World): Promise<number> {
  const text = "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::float8 as at";
  return (await world.one<{ at: number }>(text)).at;
}

async function sizeOf(world: World): Promise<number> {
  const text = `select sum(pg_total_relation_size(oid))::float8 as bytes from pg_class
                 where relnamespace = 'scheduler'::regnamespace and relkind = 'r'`;
  return (await world.one<{ bytes: number }>(text)).bytes;
}

/** Rows of every table of ours: the schema may be another one next year. */
async function countsOf(world: World): Promise<Record<string, number>> {
  const text = `select relname as name from pg_class
                 where relnamespace = 'scheduler'::regnamespace and relkind in ('r', 'p') and not relispartition`;
  const counts: Record<string, number> = {};
  for (const { name } of await world.sql.query<{ name: string }>(text))
    counts[name] = (await world.one<{ n: number }>(`select count(*)::int as n from "${name}"`)).n;
  return counts;
}

async function withKafka(
  brokers: readonly string[],
  work: (client: Kafka) => Promise<unknown>,
): Promise<void> {
  await work(new Kafka({ brokers: [...brokers], clientId: 'bench', logLevel: logLevel.NOTHING }));
}

async function makeTopics(client: Kafka, names: readonly string[]): Promise<void> {
  const admin = client.admin();
  await admin.connect();
  try {
    await makeMissingTopics(admin, names, { partitions: 6, replicas: 1 });
  } finally {
    await admin.disconnect();
  }
}

/** About half a megabyte each: what one request to the brokers holds. */
function inRequests(messages: readonly Message[]): Message[][] {
  const requests: Message[][] = [];
  let bytes = Infinity;
  for (const message of messages) {
    const length = message.value?.length ?? 0;
    if (bytes + length > 500_000) {
      requests.push([]);
      bytes = 0;
    }
    requests.at(-1)?.push(message);
    bytes += length;
  }
  return requests;
}
