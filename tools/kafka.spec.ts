import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { Kafka, logLevel, Partitioners } from 'kafkajs';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';
import { eventually } from '../test/support/eventually.js';
import { startKafka, type KafkaOptions, type RunningKafka, type StartableKafka } from './kafka.js';
import { findKafka } from './kafka/find.js';
import { TOPICS } from './kafka/topics.js';
import { HeldError } from './process/hold.js';
import { identityOf, isRunning } from './process/identity.js';
import { projectRoot } from './project.js';

let found: StartableKafka;
let folder: string;
let stateDir: string;
const running: RunningKafka[] = [];
const owners: number[] = [];

beforeAll(async () => {
  const kafka = await findKafka({ env: { ...process.env, KAFKA_BROKERS: '' } });
  if (kafka.kind === 'none') throw new Error(kafka.reason);
  if (kafka.kind === 'given') throw new Error('brokers were given although KAFKA_BROKERS is empty');
  found = kafka;
});
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon kafka '));
  stateDir = join(folder, '.carillon');
});
afterEach(async () => {
  for (const pid of owners.splice(0)) if (identityOf(pid) !== undefined) process.kill(pid, 'SIGKILL');
  for (const kafka of running.splice(0).toReversed()) await kafka.remove();
  rmSync(folder, { recursive: true });
});

async function start(options: Partial<KafkaOptions> = {}): Promise<RunningKafka> {
  const kafka = await startKafka({ stateDir, found, ...options });
  running.push(kafka);
  return kafka;
}

function client(brokers: string[]): Kafka {
  return new Kafka({ brokers, logLevel: logLevel.NOTHING });
}

async function publish(brokers: string[], value: string): Promise<void> {
  const producer = client(brokers).producer({ createPartitioner: Partitioners.DefaultPartitioner });
  await producer.connect();
  await producer.send({ topic: TOPICS.events, messages: [{ value }] });
  await producer.disconnect();
}

/** Records of the events topic, over all its partitions; a broker that has just started is not their leader at once. */
function recordCount(brokers: string[]): Promise<number> {
  return eventually(() => countRecords(brokers));
}

async function countRecords(brokers: string[]): Promise<number> {
  const admin = client(brokers).admin();
  await admin.connect();
  try {
    const partitions = await admin.fetchTopicOffsets(TOPICS.events);
    return partitions.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
  } finally {
    await admin.disconnect();
  }
}

it('keeps its records and its address through a stop, a kill and a pause', async () => {
  const kafka = await start({ partitions: 2 });
  const { brokers, clusterId } = kafka;
  await publish(brokers, 'one');
  for (const end of ['SIGKILL', 'SIGSTOP'] as const) {
    const before = identityOf(kafka.pid);
    process.kill(kafka.pid, end);
    await kafka.restart();
    expect(before !== undefined && isRunning(before)).toBe(false);
    expect({ brokers: kafka.brokers, clusterId: kafka.clusterId }).toEqual({ brokers, clusterId });
    expect(await recordCount(brokers)).toBe(1);
  }
  await kafka.stop();
  expect(identityOf(kafka.pid)).toBeUndefined();
  // On other ports, the controller's too: nothing in the data may name the old ones.
  const again = await start();
  expect(await recordCount(again.brokers)).toBe(1);
  await again.remove();
  expect(existsSync(join(stateDir, 'kafka'))).toBe(false);
});

it('is refused to others while its owner lives, stopped once it is dead, and its records are kept', async () => {
  const program = join(projectRoot, 'test', 'support', 'runner', 'hold-kafka.ts');
  const owner = spawn(process.execPath, ['--import', 'tsx', program, stateDir], {
    cwd: projectRoot,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  owners.push(owner.pid ?? 0);
  const [line] = (await once(createInterface(owner.stdout), 'line')) as [string];
  const held = z.object({ pid: z.number(), brokers: z.array(z.string()) }).parse(JSON.parse(line));
  const left = identityOf(held.pid);
  await publish(held.brokers, 'one');
  await expect(startKafka({ stateDir, found })).rejects.toThrow(HeldError);

  owner.kill('SIGKILL');
  await once(owner, 'exit');
  expect(left !== undefined && isRunning(left)).toBe(true);
  const mine = await start();
  expect(left !== undefined && isRunning(left)).toBe(false);
  expect(await recordCount(mine.brokers)).toBe(1);
});

it('is not taken in by another program on the port that it must have', async () => {
  const squatter = createServer((socket) => socket.end()).listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  const { port } = squatter.address() as AddressInfo;
  await expect(start({ port })).rejects.toThrow(new RegExp(`port ${port} or \\d+ of 127.0.0.1 is taken`));
  squatter.close();
});
