// A Kafka broker in Docker, with the settings of server.properties. The client runs in the foreground: it hands the
// stop signal on to the broker, and the container goes with it.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { OwnedCommand } from '../process/owned-process.js';
import type { Broker } from './jvm-broker.js';
import { asEnvironment, KAFKA_IMAGE, sharedSettings, type Settings } from './settings.js';

const run = promisify(execFile);
const DATA = '/var/lib/kafka/data';

export class DockerBroker implements Broker {
  /** The image may have to be pulled first. */
  readonly patienceMs = 10 * 60_000;
  readonly #stateDir: string;
  readonly #name: string;

  constructor(stateDir: string) {
    this.#stateDir = stateDir;
    this.#name = `carillon-kafka-${createHash('sha256').update(stateDir).digest('hex').slice(0, 12)}`;
  }

  async prepare(clusterId: string, port: number, controllerPort: number): Promise<OwnedCommand> {
    // A killed client leaves its container running, under our name and on our port.
    await docker(['rm', '--force', this.#name]);
    return {
      command: 'docker',
      args: dockerArguments(this.#name, clusterId, port, controllerPort),
      env: dockerEnvironment(),
      logFile: join(this.#stateDir, 'kafka.log'),
      stopSignal: 'SIGTERM',
    };
  }

  async ended(): Promise<void> {
    await docker(['rm', '--force', this.#name]);
  }

  async removeData(): Promise<void> {
    await docker(['volume', 'rm', '--force', this.#name]);
  }
}

/** The arguments of `docker run`: reached on 127.0.0.1 only, its data in a volume of the container's name. */
export function dockerArguments(
  name: string,
  clusterId: string,
  port: number,
  controllerPort: number,
): string[] {
  const settings: Settings = {
    ...sharedSettings(),
    listeners: `PLAINTEXT://:${port},CONTROLLER://:${controllerPort}`,
    'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
    'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
    'log.dirs': DATA,
  };
  const environment = { CLUSTER_ID: clusterId, ...asEnvironment(settings) };
  const passed = Object.entries(environment).flatMap(([key, value]) => ['--env', `${key}=${value}`]);
  const place = ['--publish', `127.0.0.1:${port}:${port}`, '--volume', `${name}:${DATA}`];
  return ['run', '--rm', '--name', name, ...place, ...passed, KAFKA_IMAGE];
}

async function docker(args: readonly string[]): Promise<void> {
  await run('docker', args, { env: dockerEnvironment(), timeout: 60_000 });
}

/** The client finds its daemon by these. */
function dockerEnvironment(): Record<string, string> {
  const given = Object.entries(process.env).filter(([key]) => key === 'PATH' || key.startsWith('DOCKER_'));
  return { HOME: homedir(), ...Object.fromEntries(given.map(([key, value]) => [key, value ?? ''])) };
}
