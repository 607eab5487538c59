// npm run bench:accept — the intake over Kafka against readers and inserts of the same run; ends with 1 when a bound is
// missed. `--only=inbox,planned,backlog`, `--rounds=n` [5], `--events=n` [60 000] of a round, `--planned=n` [20 000],
// `--backlog=n` [1 000 000] cut it short.
import { mkdtempSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findKafka } from '../../tools/kafka/find.js';
import { startKafka } from '../../tools/kafka.js';
import { startPostgres } from '../../tools/postgres.js';
import { startProgram } from '../dispatch/program.js';
import { median, report, type Finding } from '../measure.js';
import { backlog } from './backlog.js';
import { postgresMs } from '../process-time.js';
import type { Contest, Result } from './contestant.js';
import { makeTopics, publish } from './events.js';
import { openWorld, type House } from './house.js';
import { plannedRound, type PlannedRound } from './planned.js';
import { INBOX, insertSame, sameRows } from './same-rows.js';

// Compiled, this file lies in dist/bench/accept.
const root = fileURLToPath(new URL('../../../', import.meta.url));
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'inbox,planned,backlog' },
    rounds: { type: 'string', default: '5' },
    events: { type: 'string', default: '60000' },
    planned: { type: 'string', default: '20000' },
    backlog: { type: 'string', default: '1000000' },
  },
});
const only = new Set(values.only.split(','));
const [rounds, events] = [Number(values.rounds), Number(values.events)];
const say = (words: string): void => void process.stderr.write(`${words}\n`);

/** How many events each reader gets. Slow readers get fewer, so that all take as long. */
const COUNTS = { parse: events, ours: events, naive: events / 6, careful: events / 60 } as const;
/** The part of each count that comes before the clock runs. */
const WARM_UP = 0.1;
/** Ways of inserting in batches, of which the best counts: events of a transaction, transactions side by side. */
const BATCHES = [
  { each: 500, sideBySide: 1 },
  { each: 2_000, sideBySide: 1 },
  { each: 500, sideBySide: 2 },
  { each: 2_000, sideBySide: 2 },
] as const;

interface Round {
  readonly parse: number;
  readonly naive: number;
  readonly careful: number;
  readonly ours: number;
  /** The best way to insert all rows that an event leaves, and those of the table `event` alone; events a second. */
  readonly batch: number;
  readonly eventRows: number;
}

async function perSecond(
  house: House,
  contest: Pick<Contest, 'kind' | 'topic' | 'databaseUrl'>,
  round: number,
) {
  const all = COUNTS[contest.kind];
  const settings: Contest = {
    ...contest,
    brokers: house.kafka.brokers,
    groupId: `${contest.kind}-${round}`,
    warmUp: Math.round(all * WARM_UP),
    // A batch may reach over the end of the warm-up.
    count: Math.round(all * (1 - 2 * WARM_UP)),
  };
  const program = startProgram(root, 'dist/bench/accept/contestant.js', { args: [JSON.stringify(settings)] });
  try {
    const before = postgresMs(house.postgres.pid);
    const text = await program.line((line) => line.startsWith('{"perSecond"'));
    const result = JSON.parse(text) as Result;
    const ofPostgres = (postgresMs(house.postgres.pid) - before) / all;
    say(
      `${contest.kind}: ${Math.round(result.perSecond)}/s; processor ms an event: ${result.processorMs.toFixed(3)}, PostgreSQL ${ofPostgres.toFixed(3)}`,
    );
    return result.perSecond;
  } finally {
    await program.stop();
  }
}

async function bestBatch(house: House, ours: Awaited<ReturnType<typeof openWorld>>, round: number) {
  const best = async (tables: readonly string[], label: string): Promise<number> => {
    const found: number[] = [];
    for (const [index, { each, sideBySide }] of BATCHES.entries()) {
      const same = await sameRows(ours, tables, { events: events / 3, each, together: false });
      const world = await openWorld(house, `${label}_${round}_${index}`);
      try {
        const ms = await insertSame(world, same, sideBySide);
        found.push((same.events / ms) * 1_000);
      } finally {
        await world.close();
      }
    }
    return Math.max(...found);
  };
  return { batch: await best(INBOX, 'batch'), eventRows: await best(['event'], 'rows') };
}

async function inboxRound(house: House, topic: string, round: number): Promise<Round> {
  const world = await openWorld(house, `inbox_${round}`);
  try {
    const of = (kind: Contest['kind']): Promise<number> =>
      perSecond(house, { kind, topic, databaseUrl: world.url }, round);
    const [parse, naive, careful] = [await of('parse'), await of('naive'), await of('careful')];
    const ours = await of('ours');
    const [refused] = await world.sql.query('select reasons from rejection limit 1');
    if (refused !== undefined) throw new Error(`events of the bench are refused: ${JSON.stringify(refused)}`);
    return { parse, naive, careful, ours, ...(await bestBatch(house, world, round)) };
  } finally {
    await world.close();
  }
}

async function inbox(house: House): Promise<Finding[]> {
  const topic = 'accept.events';
  await makeTopics(house.kafka.brokers, [topic]);
  await publish(house.kafka.brokers, topic, events);
  const all: Round[] = [];
  for (let round = 0; round < rounds; round += 1) {
    all.push(await inboxRound(house, topic, round));
    say(`round ${round + 1}: ${JSON.stringify(all.at(-1))}`);
  }
  const ratio = (which: keyof Round, against: keyof Round): Omit<Finding, 'name'> => ({
    value: median(all.map((round) => round[which] / round[against])),
    unit: '×',
    detail: `by round: ${which} ${shown(all, which)}; it ${shown(all, against)}`,
  });
  const finding = (against: keyof Round, words: string, bound?: number): Finding => ({
    name: `1 KB events a second, from the broker to the committed inbox, against ${words}`,
    ...ratio('ours', against),
    ...(bound !== undefined && { bound: { kind: 'at least', value: bound } }),
  });
  /** What nothing that keeps the same rows can pass. */
  const ceiling = (against: keyof Round, words: string): Finding => ({
    name: `the ceiling of that: the best batch insert alone, nothing read and nothing parsed, against ${words}`,
    ...ratio('batch', against),
  });
  const NAIVE = 'a handler that inserts each event, with auto-commit';
  const CAREFUL = 'a handler with a transaction and an offset commit an event';
  return [
    finding('parse', 'a kafkajs consumer that parses and drops'),
    finding('naive', NAIVE, 4),
    ceiling('naive', NAIVE),
    finding('careful', CAREFUL, 80),
    ceiling('careful', CAREFUL),
    finding(
      'batch',
      'the best batch insert of the same rows, of events, keys, campaigns and revisions',
      0.25,
    ),
    finding('eventRows', 'the best batch insert of the rows of events alone'),
  ];
}

async function planned(house: House): Promise<Finding[]> {
  const topic = 'planned.events';
  const count = Number(values.planned);
  await makeTopics(house.kafka.brokers, [topic]);
  await publish(house.kafka.brokers, topic, count);
  const all: PlannedRound[] = [];
  for (let round = 0; round < rounds; round += 1) {
    all.push(await plannedRound(house, `planned_${round}`, topic, count));
    say(`round ${round + 1}: ${JSON.stringify(all.at(-1))}`);
  }
  return [
    {
      name: '1 KB events a second, from the broker to planned sends, against one unnest insert of all their rows',
      value: median(all.map(({ ours, insert }) => ours / insert)),
      unit: '×',
      bound: { kind: 'at least', value: 0.4 },
      detail: `by round: ours ${shown(all, 'ours')}; insert ${shown(all, 'insert')}; ${all[0]?.rowsEach.toFixed(1)} rows an event`,
    },
  ];
}

function shown<Each>(all: readonly Each[], member: keyof Each): string {
  return all.map((one) => Math.round(Number(one[member]))).join(' ');
}

const load = (): string =>
  loadavg()
    .map((one) => one.toFixed(1))
    .join(' ');
const found = await findKafka({ env: { ...process.env, KAFKA_BROKERS: '' } });
if (found.kind === 'none' || found.kind === 'given') throw new Error('a Kafka of the bench’s own is needed');
const stateDir = mkdtempSync(join(tmpdir(), 'carillon-accept-'));
const postgres = await startPostgres({ stateDir });
const kafka = await startKafka({ stateDir: join(stateDir, 'kafka'), found });
const stub = startProgram(root, 'dist/bench/dispatch/stub.js');
try {
  const before = load();
  const house: House = { root, postgres, kafka, pushUrl: await stub.line() };
  const rows: Finding[] = [];
  if (only.has('inbox')) rows.push(...(await inbox(house)));
  if (only.has('planned')) rows.push(...(await planned(house)));
  if (only.has('backlog')) rows.push(...(await backlog(house, Number(values.backlog), say)));
  const command = `npm run bench:accept${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(' ')}` : ''}`;
  const section = `## Intake\n\n\`${command}\`; PostgreSQL with fsync and synchronous_commit on, Kafka with one broker, six partitions; load of the machine before and after: ${before}, ${load()}.`;
  if (!report(root, rows, section)) process.exitCode = 1;
} finally {
  await stub.stop();
  await kafka.remove();
  await postgres.remove();
  rmSync(stateDir, { recursive: true, force: true });
}
