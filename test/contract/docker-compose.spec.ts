import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { PushServiceEnvironment, readPushServiceConfig } from '../../src/push-service/push-service.config.js';
import { readSchedulerConfig, schedulerEnvironment } from '../../src/scheduler/scheduler.config.js';
import { NODE_OPTIONS } from '../../tools/house/node-options.js';
import { dockerArguments } from '../../tools/kafka/docker-broker.js';
import { asEnvironment, KAFKA_IMAGE, localSettings, sharedSettings } from '../../tools/kafka/settings.js';
import { projectRoot } from '../../tools/project.js';

const text = (file: string): string => readFileSync(join(projectRoot, file), 'utf8');

const Service = z.object({
  image: z.string(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.union([z.string(), z.number()]).transform(String)).default({}),
  ports: z.array(z.string()).default([]),
  volumes: z.array(z.string()).default([]),
  build: z.object({ context: z.string(), dockerfile: z.string() }).optional(),
});
const compose = z
  .object({ services: z.record(z.string(), Service), volumes: z.record(z.string(), z.unknown()) })
  .parse(parse(text('docker-compose.yml'), { merge: true }));

function service(name: string): z.output<typeof Service> {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
}

/** As docker compose would fill them in, from an environment that has the three secrets. */
function filledIn(environment: Readonly<Record<string, string>>): Record<string, string> {
  const secrets: Record<string, string> = {
    POSTGRES_PASSWORD: 'hush',
    MANAGEMENT_TOKEN: 'a token of many characters',
    CARILLON_MASTER_KEY: `k1:${Buffer.alloc(32).toString('base64')}`,
  };
  const fill = (value: string): string =>
    value.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_all, name: string, kind: string, rest: string) => {
      const filled = secrets[name] ?? (kind === '-' ? rest : undefined);
      if (filled === undefined)
        throw new Error(`${name} is asked for, but not named at the top of docker-compose.yml`);
      return filled;
    });
  return Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, fill(value)]));
}

describe('docker-compose.yml', () => {
  it('has every service, and every port on 127.0.0.1 alone', () => {
    expect(Object.keys(compose.services).sort()).toEqual([
      'kafka',
      'migrate',
      'postgres',
      'push-service',
      'scheduler',
    ]);
    const ports = Object.values(compose.services).flatMap((one) => one.ports);
    expect(ports).toHaveLength(4);
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([]);
  });

  it('gives the scheduler a configuration that it takes, and names no variable it does not know', () => {
    const environment = filledIn(service('scheduler').environment);
    expect(readSchedulerConfig(environment)).toMatchObject({
      port: 8080,
      kafka: { brokers: ['kafka:19092'] },
    });
    expect(Object.keys(environment).filter((name) => !(name in schedulerEnvironment.shape))).toEqual([]);
  });

  it('gives the push service a configuration that it takes, and names no variable it does not know', () => {
    const environment = filledIn(service('push-service').environment);
    expect(readPushServiceConfig(environment)).toMatchObject({ PUSH_PORT: 3200, PUSH_HOST: '0.0.0.0' });
    expect(Object.keys(environment).filter((name) => !(name in PushServiceEnvironment.shape))).toEqual([]);
  });

  it.each(['scheduler', 'push-service'] as const)('starts Node for the %s as it is started here', (name) => {
    const [, entry = '[]'] = /^ENTRYPOINT (.+)$/m.exec(text('deploy/Dockerfile')) ?? [];
    const [node, ...options] = [...z.array(z.string()).parse(JSON.parse(entry)), ...service(name).command];
    expect([node, ...options]).toEqual(['node', ...NODE_OPTIONS[name], `dist/src/${name}/main.js`]);
  });

  it('refuses to start without its secrets', () => {
    const required = text('docker-compose.yml').match(/\$\{\w+:\?/g) ?? [];
    const names = [...new Set(required.map((use) => use.slice(2, -2)))].sort();
    expect(names).toEqual(['CARILLON_MASTER_KEY', 'MANAGEMENT_TOKEN', 'POSTGRES_PASSWORD']);
  });

  it('keeps what must outlive a container in volumes that it declares', () => {
    expect(service('postgres').volumes).toEqual(['postgres:/var/lib/postgresql']);
    expect(service('kafka').volumes).toContain(`kafka:${service('kafka').environment['KAFKA_LOG_DIRS']}`);
    expect(Object.keys(compose.volumes).sort()).toEqual(['kafka', 'postgres']);
  });

  it('has in the image whatever is read at run time, and lets the build see it', () => {
    const [, ...stages] = text('deploy/Dockerfile').split(/^FROM /m);
    expect(stages.at(-1)).toMatch(/^COPY sql sql$/m);
    const copied = [...stages.join().matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, of = '']) =>
      of.split(' '),
    );
    const seen = text('.dockerignore').split('\n');
    expect(
      copied.filter((path) => !seen.includes(`!${path}`) || !existsSync(join(projectRoot, path))),
    ).toEqual([]);
  });

  it('builds from a Dockerfile that runs what its commands name, and runs as no root', () => {
    const dockerfile = text('deploy/Dockerfile');
    for (const name of ['scheduler', 'push-service', 'migrate']) {
      expect(service(name).build).toEqual({ context: '.', dockerfile: 'deploy/Dockerfile' });
      const program = service(name).command.find((word) => !word.startsWith('--'));
      const source = program?.replace(/^dist\/(.*)\.js$/, '$1.ts') ?? '';
      expect({ source, there: existsSync(join(projectRoot, source)) }).toEqual({ source, there: true });
    }
    expect(dockerfile).toMatch(/^USER node$/m);
    const { engines } = z
      .object({ engines: z.object({ node: z.string() }) })
      .parse(JSON.parse(text('package.json')));
    const major = Number(/\d+/.exec(engines.node)?.[0]);
    expect([...dockerfile.matchAll(/^FROM node:(\d+)/gm)].map(([, found]) => Number(found) >= major)).toEqual(
      [true, true, true],
    );
  });
});

describe('Kafka is set up alike wherever it runs', () => {
  const shared = sharedSettings();

  it('from one file that says a setting once', () => {
    const keys = text('tools/kafka/server.properties')
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.split('=')[0]);
    expect(keys).toEqual(Object.keys(shared));
    expect(keys.length).toBeGreaterThan(10);
  });

  it('in the compose file, which mounts it and adds only listeners, voters and folder', () => {
    const { volumes, environment } = service('kafka');
    expect(volumes).toContain('./tools/kafka/server.properties:/mnt/shared/config/server.properties:ro');
    const added = Object.keys(environment).filter((name) => name.startsWith('KAFKA_'));
    expect(added.filter((name) => name in asEnvironment(shared))).toEqual([]);
    const local = Object.keys(asEnvironment(localSettings(1, 2, 'data'))).filter(
      (name) => !(name in asEnvironment(shared)),
    );
    expect(added.sort()).toEqual(local.sort());
    const protocols = shared['listener.security.protocol.map'] ?? '';
    for (const [, listener] of (environment['KAFKA_LISTENERS'] ?? '').matchAll(/(\w+):\/\//g)) {
      expect(protocols).toContain(`${listener}:`);
    }
  });

  it('in Docker without compose, by the same names and values', () => {
    const args = dockerArguments('carillon-kafka-x', 'cluster', 19_092, 19_093);
    const passed = args.filter((_arg, index) => args[index - 1] === '--env');
    const expected = Object.entries(asEnvironment(shared)).map(([name, value]) => `${name}=${value}`);
    expect(passed).toEqual(expect.arrayContaining(expected));
    expect(asEnvironment({ 'a.b_c-d': '1' })).toEqual({ KAFKA_A_B__C___D: '1' });
    expect(args).toContain('127.0.0.1:19092:19092');
  });

  it('in one version', () => {
    const { kafka } = z.object({ kafka: z.string() }).parse(JSON.parse(text('tools/kafka/jars.lock.json')));
    expect(KAFKA_IMAGE).toBe(`apache/kafka:${kafka}`);
    expect(service('kafka').image).toBe(KAFKA_IMAGE);
    expect(text('tools/kafka/pom.xml')).toContain(`<version>${kafka}</version>`);
    expect(text('tools/kafka/jars.lock.json')).toContain(`org/apache/kafka/kafka_2.13/${kafka}/`);
  });
});
