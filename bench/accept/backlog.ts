// A backlog that lies on the topic when the scheduler starts, in all roles, while sends come due evenly beside it: what it
// keeps in memory over time, how often its group was joined anew, and how late the sends are.
import { readFileSync } from 'node:fs';
import type { Program } from '../dispatch/program.js';
import { SERVICE } from '../dispatch/settings.js';
import { stretch, type Stretch } from '../load/stretch.js';
import { median, type Finding } from '../measure.js';
import { makeTopics, publish } from './events.js';
import { openWorld, type House } from './house.js';

const ROLES = 'accept,plan,dispatch,follow,publish,api';
const DUE_PER_SECOND = 100;
const STRETCH_S = 15;
const SAMPLE_MS = 1_000;
const PAGE_BYTES = 4_096;

export async function backlog(house: House, count: number, say: (words: string) => void): Promise<Finding[]> {
  const name = 'backlog';
  const topics = { events: `${name}.events`, dead: `${name}.dead`, outcomes: `${name}.outcomes` };
  await makeTopics(house.kafka.brokers, Object.values(topics));
  say(`publishing ${count} events`);
  await publish(house.kafka.brokers, topics.events, count);
  const world = await openWorld(house, name);
  const beganAt = performance.now();
  const program = await world.scheduler(ROLES, {
    KAFKA_BROKERS: house.kafka.brokers.join(),
    KAFKA_GROUP_ID: name,
    KAFKA_EVENTS_TOPIC: topics.events,
    KAFKA_DEAD_TOPIC: topics.dead,
    KAFKA_OUTCOMES_TOPIC: topics.outcomes,
    // Joins of the group are logged at this level.
    LOG_LEVEL: 'debug',
  });
  const memory = new Samples(program.pid);
  const joins = countJoins(program);
  const stretches: Stretch[] = [];
  let planned = 0;
  const taken = async (): Promise<number> =>
    (await world.one<{ n: number }>('select count(*)::int as n from inbox_key')).n;
  try {
    let done = 0;
    while (done < count || stretches.length === 0) {
      stretches.push(await stretch(world, SERVICE, DUE_PER_SECOND, STRETCH_S));
      done = await taken();
      say(`${Math.round((performance.now() - beganAt) / 1_000)} s: ${done} taken, ${memory.last()} MB`);
    }
    ({ planned } = await world.one<{ planned: number }>(
      `select count(*)::int as planned from campaign where state = 'planned'`,
    ));
  } finally {
    memory.end();
    await program.stop();
    await world.close();
  }
  const ms = performance.now() - beganAt;
  return findings(count, { stretches, joins: joins(), memory: memory.all, planned, ms });
}

interface Seen {
  readonly stretches: readonly Stretch[];
  readonly joins: number;
  /** MB resident, once a second. */
  readonly memory: readonly number[];
  /** Campaigns planned by the time that the last event was taken. */
  readonly planned: number;
  readonly ms: number;
}

function findings(count: number, { stretches, joins, memory, planned, ms }: Seen): Finding[] {
  const beside = `a backlog of ${count} events`;
  const quarter = Math.floor(memory.length / 4);
  const quarters = [0, 1, 2, 3].map((at) =>
    Math.round(median(memory.slice(at * quarter, (at + 1) * quarter))),
  );
  return [
    {
      name: `${beside}: memory of the last quarter of the time against that of the second`,
      value: (quarters[3] ?? Number.NaN) / (quarters[1] ?? Number.NaN),
      unit: '×',
      bound: { kind: 'at most', value: 1.25 },
      detail: `MB resident by quarter ${quarters.join(' ')}, most ${Math.round(Math.max(...memory))}; ${Math.round(ms / 1_000)} s in all, ${planned} planned by then`,
    },
    {
      name: `${beside}: times the group was joined anew`,
      value: joins - 1,
      unit: 'times',
      bound: { kind: 'at most', value: 0 },
      detail: `${joins} joins`,
    },
    {
      name: `${beside}: sends taken a second, beside it, against those due`,
      value: median(stretches.map(({ taken, due }) => taken / due)),
      unit: '×',
      bound: { kind: 'at least', value: 0.98 },
      detail: `${DUE_PER_SECOND} due a second; ms late by stretch (p50/p99): ${stretches.map(({ p50, p99 }) => `${Math.round(p50)}/${Math.round(p99)}`).join(' ')}`,
    },
  ];
}

class Samples {
  readonly all: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.#timer = setInterval(() => this.all.push(residentMb(pid)), SAMPLE_MS);
  }

  last(): number {
    return Math.round(this.all.at(-1) ?? 0);
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

function residentMb(pid: number): number {
  const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
  return (Number(pages) * PAGE_BYTES) / 1e6;
}

function countJoins(program: Program): () => number {
  let joins = 0;
  const next = (): void => {
    program
      .line((text) => text.includes('joined the Kafka group'))
      .then(
        () => {
          joins += 1;
          next();
        },
        // It has ended.
        () => undefined,
      );
  };
  next();
  return () => joins;
}
