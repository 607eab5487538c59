// Starts an Apache Kafka broker on 127.0.0.1 for the demo, the tests and the benches, and makes Carillon's topics. Stops it by
// its pid, even if a killed owner left it over. Production uses its own brokers.
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { scheduler } from 'node:timers/promises';
import { Kafka, logLevel, type Admin } from 'kafkajs';
import { z } from 'zod';
import { makeMissingTopics } from '../src/platform/kafka/kafkajs-topics.js';
import { newClusterId } from './kafka/cluster-id.js';
import { DockerBroker } from './kafka/docker-broker.js';
import type { FoundKafka } from './kafka/find.js';
import { JvmBroker, type Broker } from './kafka/jvm-broker.js';
import type { Settings } from './kafka/settings.js';
import { TOPICS } from './kafka/topics.js';
import { freePort } from './process/free-port.js';
import { hold } from './process/hold.js';
import { OwnedProcess, stopLeftover } from './process/owned-process.js';
import { readJson, writePrivateJson } from './process/private-file.js';

/** The answers of findKafka() from which a broker can be started. */
export type StartableKafka = Exclude<FoundKafka, { kind: 'given' } | { kind: 'none' }>;

export interface KafkaOptions {
  /** The folder for the cluster's id, its log and its data. It is made if it is missing. */
  stateDir: string;
  found: StartableKafka;
  /** Partitions of each topic that is made; default 6. */
  partitions?: number;
  /** The port that it must use; by default any free port. */
  port?: number;
  /** Further settings of a broker in a JVM. They replace ours, for example for listeners of other kinds. */
  settings?: (ports: { readonly client: number; readonly controller: number }) => Settings;
}

export interface RunningKafka {
  readonly pid: number;
  readonly port: number;
  readonly brokers: string[];
  readonly clusterId: string;
  readonly logFile: string;
  /** Resolves once its process is gone, with a few words on how. */
  ended(): Promise<string>;
  /** On the same ports and data; whatever still runs (or is paused) is stopped first. */
  restart(): Promise<void>;
  stop(): Promise<void>;
  /** Stops it and deletes its data. */
  remove(): Promise<void>;
}

/** Thrown when the broker ended, or was not ready in time. The message has its output. */
export class KafkaStartError extends Error {
  readonly code = 'KAFKA_NOT_STARTED';
}

const PORT_TAKEN = /Address already in use/;
/** The first broker that stops on a machine writes its archive of classes: 13 to 15 s if four do so at once on two cores. */
const STOP_GRACE_MS = 60_000;
const State = z.object({
  clusterId: z.string(),
  running: z.object({ pid: z.number(), began: z.string() }).optional(),
});

/** Starts it and returns once it answers and has the topics. Throws HeldError when another process uses `stateDir`. */
export async function startKafka(options: KafkaOptions): Promise<RunningKafka> {
  mkdirSync(options.stateDir, { recursive: true });
  const release = hold(join(options.stateDir, 'kafka.hold'));
  try {
    const broker = brokerOf(options);
    const clusterId = (await clearLeftover(options.stateDir)) ?? newClusterId();
    const server = new Server(options, broker, clusterId, release);
    await server.start();
    return server;
  } catch (error) {
    release();
    throw error;
  }
}

/** Makes Carillon's topics on brokers that are not ours. */
export async function prepareGivenKafka(brokers: string[], partitions?: number): Promise<void> {
  await makeTopics(brokers, partitions);
}

async function makeTopics(brokers: string[], partitions = 6): Promise<void> {
  await withAdmin(brokers, 5, async (admin) => {
    await makeMissingTopics(admin, Object.values(TOPICS), { partitions, replicas: 1 });
  });
}

/** Stops a broker that a killed owner left in `stateDir`. Throws HeldError when its owner lives. */
export async function stopLeftoverKafka(stateDir: string): Promise<void> {
  if (!existsSync(join(stateDir, 'kafka.json'))) return;
  const release = hold(join(stateDir, 'kafka.hold'));
  try {
    await clearLeftover(stateDir);
  } finally {
    release();
  }
}

class Server implements RunningKafka {
  readonly clusterId: string;
  readonly logFile: string;
  readonly #options: KafkaOptions;
  readonly #broker: Broker;
  readonly #release: () => void;
  #process: OwnedProcess | undefined;
  #ports: { client: number; controller: number } | undefined;

  constructor(options: KafkaOptions, broker: Broker, clusterId: string, release: () => void) {
    this.#options = options;
    this.#broker = broker;
    this.clusterId = clusterId;
    this.#release = release;
    this.logFile = join(options.stateDir, 'kafka.log');
    rmSync(this.logFile, { force: true });
  }

  get pid(): number {
    return this.#process?.identity.pid ?? 0;
  }
  get port(): number {
    return this.#ports?.client ?? 0;
  }
  get brokers(): string[] {
    return [`127.0.0.1:${this.port}`];
  }

  async start(): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      const ports = this.#ports ?? {
        client: this.#options.port ?? (await freePort()),
        controller: await freePort(),
      };
      const problem = await this.#launch(ports.client, ports.controller);
      if (problem === undefined) {
        this.#ports = ports;
        break;
      }
      const mayMove = this.#ports === undefined && this.#options.port === undefined;
      if (!PORT_TAKEN.test(problem)) throw new KafkaStartError(`Kafka did not start:\n${problem}`);
      if (!mayMove || attempt === 10) {
        throw new KafkaStartError(
          `port ${ports.client} or ${ports.controller} of 127.0.0.1 is taken by another program; choose another or free it`,
        );
      }
    }
    await makeTopics(this.brokers, this.#options.partitions);
  }

  async ended(): Promise<string> {
    return this.#process?.exited ?? 'not started';
  }

  async restart(): Promise<void> {
    await this.#end();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.#end();
    this.#release();
  }

  async remove(): Promise<void> {
    await this.stop();
    await this.#broker.removeData();
    rmSync(join(this.#options.stateDir, 'kafka.json'), { force: true });
  }

  async #end(): Promise<void> {
    await this.#process?.stop(STOP_GRACE_MS);
    await this.#broker.ended(this.#process?.end?.startsWith('signal') === true);
  }

  /** Its output if it ended at once or did not answer; undefined once it is ready. */
  async #launch(port: number, controllerPort: number): Promise<string | undefined> {
    const child = await OwnedProcess.start(await this.#broker.prepare(this.clusterId, port, controllerPort));
    this.#process = child;
    const stateFile = join(this.#options.stateDir, 'kafka.json');
    writePrivateJson(stateFile, { clusterId: this.clusterId, running: child.identity });
    const deadline = performance.now() + this.#broker.patienceMs;
    while (child.end === undefined) {
      if (await isReady(port, this.clusterId)) return undefined;
      if (performance.now() > deadline) {
        await this.#end();
        return `it did not answer within ${this.#broker.patienceMs / 1_000} s\n${child.output.trim()}`;
      }
      await scheduler.wait(50);
    }
    return `${child.output.trim()}\n(${child.end})`;
  }
}

function brokerOf({ found, stateDir, settings }: KafkaOptions): Broker {
  return found.kind === 'jvm'
    ? new JvmBroker(found.java, found.jars, stateDir, settings)
    : new DockerBroker(stateDir);
}

/** Stops what runs here although its owner is gone, and returns the cluster's id if there has been one. */
async function clearLeftover(stateDir: string): Promise<string | undefined> {
  const state = State.safeParse(readJson(join(stateDir, 'kafka.json')));
  if (state.data?.running !== undefined) await stopLeftover(state.data.running, 'SIGTERM');
  return state.data?.clusterId;
}

/** An open port proves nothing: it may belong to another broker, while ours failed to get it. */
async function isReady(port: number, clusterId: string): Promise<boolean> {
  if (!(await takesConnections(port))) return false;
  try {
    return await withAdmin([`127.0.0.1:${port}`], 0, async (admin) => {
      const cluster = await admin.describeCluster();
      return cluster.clusterId === clusterId && cluster.brokers.length > 0;
    });
  } catch {
    return false;
  }
}

async function takesConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    const answer = (taken: boolean): void => {
      socket.destroy();
      resolve(taken);
    };
    socket.once('connect', () => answer(true));
    socket.once('error', () => answer(false));
  });
}

async function withAdmin<T>(
  brokers: string[],
  retries: number,
  use: (admin: Admin) => Promise<T>,
): Promise<T> {
  const kafka = new Kafka({
    clientId: 'carillon-launcher',
    brokers,
    logLevel: logLevel.NOTHING,
    connectionTimeout: 2_000,
    requestTimeout: 10_000,
    retry: { retries },
  });
  const admin = kafka.admin();
  await admin.connect();
  try {
    return await use(admin);
  } finally {
    await admin.disconnect();
  }
}
