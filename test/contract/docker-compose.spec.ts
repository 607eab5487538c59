import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { processEnvironment } from '../../src/platform/env.js';
import { masterKey } from '../../src/platform/secrets/sealed.js';
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
  build: z
    .object({ context: z.string(), dockerfile: z.string(), args: z.record(z.string(), z.string()) })
    .optional(),
  secrets: z.array(z.string()).default([]),
  read_only: z.boolean().default(false),
  cap_drop: z.array(z.string()).default([]),
  security_opt: z.array(z.string()).default([]),
  mem_limit: z.string().optional(),
  pids_limit: z.number().optional(),
  healthcheck: z.object({ test: z.array(z.string()) }).optional(),
});
const compose = z
  .object({
    services: z.record(z.string(), Service),
    secrets: z.record(z.string(), z.object({ file: z.string() })),
    volumes: z.record(z.string(), z.unknown()),
  })
  .parse(parse(text('docker-compose.yml'), { merge: true }));

function service(name: string): z.output<typeof Service> {
  const found = compose.services[name];
  if (found === undefined) throw new Error(`docker-compose.yml has no service ${name}`);
  return found;
}

const folder = mkdtempSync(join(tmpdir(), 'carillon-compose-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** What the commands at the top of docker-compose.yml put there; a password may be any. */
const SECRETS: Readonly<Record<string, string>> = {
  postgres_password: 'hush',
  scheduler_database_password: `p@ss/w:rd?#%25 'quoted' "ü" \\ $HOME`,
  push_database_password: 'another',
  management_token: 'a token of many characters',
  master_key: `k1:${Buffer.alloc(32).toString('base64')}`,
};

/** The environment of a process as docker compose makes it without a file .env; its secrets are in their files. */
function filledIn(name: string): Record<string, string> {
  const { environment, secrets } = service(name);
  return Object.fromEntries(
    Object.entries(environment).map(([variable, given]) => {
      const value = given.replaceAll(/\$\{\w+:-([^}]*)\}/g, '$1');
      const [, secret] = /^\/run\/secrets\/(.*)$/.exec(value) ?? [];
      if (secret === undefined) return [variable, value];
      if (!secrets.includes(secret)) throw new Error(`${name} is not given the secret ${secret}`);
      writeFileSync(join(folder, secret), `${SECRETS[secret] ?? ''}\n`);
      return [variable, join(folder, secret)];
    }),
  );
}

const isKnown = (shape: object) => (name: string) => name.replace(/_FILE$/, '') in shape;

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
    const environment = filledIn('scheduler');
    const config = readSchedulerConfig(processEnvironment(environment));
    expect(config).toMatchObject({ port: 8080, kafka: { brokers: ['kafka:19092'] } });
    const { username, password } = new URL(config.databaseUrl.reveal());
    expect([username, decodeURIComponent(password)]).toEqual([
      'carillon_scheduler',
      SECRETS['scheduler_database_password'],
    ]);
    expect(Object.keys(environment).every(isKnown(schedulerEnvironment.shape))).toBe(true);
    expect(service('migrate').environment).toEqual(service('scheduler').environment);
  });

  it('gives the push service a configuration that it takes, and names no variable it does not know', () => {
    const environment = filledIn('push-service');
    const config = readPushServiceConfig(processEnvironment(environment));
    expect(config).toMatchObject({ PUSH_PORT: 3200, PUSH_HOST: '0.0.0.0' });
    expect(new URL(config.DATABASE_URL.reveal()).username).toBe('carillon_push');
    expect(config.MANAGEMENT_TOKEN.reveal()).toBe(SECRETS['management_token']);
    expect(Object.keys(environment).every(isKnown(PushServiceEnvironment.shape))).toBe(true);
  });

  it.each(['scheduler', 'push-service'] as const)('starts Node for the %s as it is started here', (name) => {
    const [, entry = '[]'] = /^ENTRYPOINT (.+)$/m.exec(text('deploy/Dockerfile')) ?? [];
    const [node, ...options] = [...z.array(z.string()).parse(JSON.parse(entry)), ...service(name).command];
    expect([node, ...options]).toEqual(['node', ...NODE_OPTIONS[name], `dist/src/${name}/main.js`]);
  });

  it('keeps secrets in files that the commands at its top make, and none in an environment', () => {
    expect(Object.keys(compose.secrets).sort()).toEqual(Object.keys(SECRETS).sort());
    for (const [name, { file }] of Object.entries(compose.secrets)) expect(file).toBe(`./secrets/${name}`);
    const made = mkdtempSync(join(folder, 'commands-'));
    const commands = [...text('docker-compose.yml').matchAll(/^# {3}(.*)$/gm)].map(([, line]) => line);
    const script = commands.slice(
      0,
      commands.findIndex((line) => line?.startsWith('docker ')),
    );
    const ran = spawnSync('sh', ['-euc', script.join('\n')], { cwd: made });
    expect([ran.status, String(ran.stderr)]).toEqual([0, '']);
    expect(readdirSync(join(made, 'secrets')).sort()).toEqual(Object.keys(SECRETS).sort());
    const read = processEnvironment({ CARILLON_MASTER_KEY_FILE: join(made, 'secrets', 'master_key') });
    expect(masterKey.safeParse(read['CARILLON_MASTER_KEY']).success).toBe(true);
    const values = Object.values(compose.services).flatMap(({ environment }) => Object.entries(environment));
    expect(values.filter(([name]) => /PASSWORD$|KEY$|TOKEN$|SECRET$/.test(name))).toEqual([]);
  });

  it('gives each process no more than it needs', () => {
    for (const [name, one] of Object.entries(compose.services)) {
      expect({ name, ...one }).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect([name, one.mem_limit, one.pids_limit]).toEqual([name, '${MEMORY_LIMIT:-2g}', 500]);
      // Kafka's image writes its configuration when it starts.
      expect([name, one.read_only]).toEqual([name, name !== 'kafka']);
      expect([name, one.healthcheck !== undefined]).toEqual([name, name !== 'migrate']);
    }
    const [, , script = ''] = service('scheduler').healthcheck?.test ?? [];
    expect(existsSync(join(projectRoot, script.replace(/^dist\/(.*)\.js$/, '$1.ts')))).toBe(true);
  });

  it('keeps what must outlive a container in volumes that it declares', () => {
    expect(service('postgres').volumes).toContain('postgres:/var/lib/postgresql');
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
    const [, image = ''] = /^ARG NODE_IMAGE=(\S+)$/m.exec(dockerfile) ?? [];
    for (const name of ['scheduler', 'push-service', 'migrate']) {
      const { args, ...build } = service(name).build ?? {};
      expect(build).toEqual({ context: '.', dockerfile: 'deploy/Dockerfile' });
      expect(args).toEqual({ NODE_IMAGE: `\${NODE_IMAGE:-${image}}` });
      const program = service(name).command.find((word) => !word.startsWith('--'));
      const source = program?.replace(/^dist\/(.*)\.js$/, '$1.ts') ?? '';
      expect({ source, there: existsSync(join(projectRoot, source)) }).toEqual({ source, there: true });
    }
    expect(dockerfile).toMatch(/^USER node$/m);
    const { engines } = z
      .object({ engines: z.object({ node: z.string() }) })
      .parse(JSON.parse(text('package.json')));
    const major = Number(/\d+/.exec(engines.node)?.[0]);
    expect(Number(/^node:(\d+)/.exec(image)?.[1])).toBeGreaterThanOrEqual(major);
    expect([...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, from]) => from)).toEqual(
      Array(3).fill('${NODE_IMAGE}'),
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
    expect(service('kafka').image).toBe(`\${KAFKA_IMAGE:-${KAFKA_IMAGE}}`);
    expect(text('tools/kafka/pom.xml')).toContain(`<version>${kafka}</version>`);
    expect(text('tools/kafka/jars.lock.json')).toContain(`org/apache/kafka/kafka_2.13/${kafka}/`);
  });
});
