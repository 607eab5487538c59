// A whole Carillon on free ports of 127.0.0.1: PostgreSQL, Kafka, push service and scheduler, each a process of its own, as users
// run them. Demo, journey tests and benches open it. It never runs in production.
import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { runCarillon } from './house/command.js';
import { Service } from './house/service.js';
import type { Endpoints } from './endpoints.js';
import { prepareGivenKafka, startKafka, stopLeftoverKafka, type RunningKafka } from './kafka.js';
import { findKafka, type FoundKafka } from './kafka/find.js';
import { discardPostgres, startPostgres, type RunningPostgres } from './postgres.js';
import { freePort } from './process/free-port.js';
import { hold } from './process/hold.js';

export interface HouseOptions {
  /** The folder for data, logs and secrets. What an earlier house left there is stopped and deleted first. */
  stateDir: string;
  /** Called with each step as it begins. */
  say: (sentence: string) => void;
  /** Once it is aborted, no further step begins, and what runs is stopped. */
  signal?: AbortSignal;
  /** Further variables of the two services' environments. */
  scheduler?: Readonly<Record<string, string>>;
  pushService?: Readonly<Record<string, string>>;
  /** Where Kafka comes from. By default the house finds one. */
  kafka?: FoundKafka;
  /** The project whose services and commands run; this one by default. */
  root?: string;
}

const ROLES = ['publisher', 'analyst', 'operator', 'admin'] as const;
const CreatedToken = z.looseObject({ token: z.string() });

interface Services {
  postgres: RunningPostgres;
  /** Undefined: the brokers are not ours, or there are none. */
  kafka: RunningKafka | undefined;
  /** Empty: events come over HTTP alone. */
  brokers: readonly string[];
  pushService: Service;
  managementUrl: string;
  managementToken: string;
  scheduler: Service;
  /** Environment of the carillon command beside the scheduler. */
  commandEnv: Readonly<Record<string, string>>;
}

export class House {
  readonly #closers: (() => Promise<void> | void)[] = [];
  #services: Services | undefined;
  #tokens: Record<(typeof ROLES)[number], string> | undefined;

  private constructor(private readonly options: HouseOptions) {}

  /** Starts everything; throws HeldError when another living house is in `stateDir`. On any failure all is stopped. */
  static async open(options: HouseOptions): Promise<House> {
    const house = new House(options);
    try {
      await house.#build();
      return house;
    } catch (error) {
      await house.close();
      throw error;
    }
  }

  get services(): Services {
    if (this.#services === undefined) throw new Error('the house is not open');
    return this.#services;
  }

  /** What a client needs, except the key pair: the management API gives that. */
  get endpoints(): Omit<Endpoints, 'serviceId' | 'accessKey' | 'secretKey'> {
    const { postgres, brokers, pushService, managementUrl, managementToken, scheduler } = this.services;
    if (this.#tokens === undefined) throw new Error('the house is not open');
    return {
      schedulerUrl: scheduler.url,
      dashboardUrl: `${scheduler.url}/`,
      pushUrl: pushService.url,
      managementUrl,
      kafkaBrokers: [...brokers],
      databaseUrl: postgres.urlOf('carillon'),
      tokens: { ...this.#tokens, management: managementToken },
    };
  }

  /** `carillon …` against this house's database. */
  async command(args: readonly string[], input?: string): Promise<unknown> {
    const { root } = this.options;
    return runCarillon({
      args,
      env: this.services.commandEnv,
      root,
      ...(input === undefined ? {} : { input }),
    });
  }

  /**
   * Starts the two services anew, at once and on the same ports, with further variables, which commands have from then on as well.
   * Tokens are made anew, because another clock may have passed their end.
   */
  async restart(further: Readonly<Record<string, string>>): Promise<void> {
    const { pushService, scheduler, commandEnv } = this.services;
    const env = { ...commandEnv, ...further };
    this.#services = { ...this.services, commandEnv: env };
    const [tokens] = await Promise.all([
      makeTokens(env, this.options.root),
      pushService.restart(further),
      scheduler.restart(further),
    ]);
    this.#tokens = tokens;
  }

  /** Stops what runs, in reverse order of its start. Data and logs stay until the next house opens there. */
  async close(): Promise<void> {
    for (let closer = this.#closers.pop(); closer !== undefined; closer = this.#closers.pop()) await closer();
  }

  async #build(): Promise<void> {
    const { stateDir } = this.options;
    mkdirSync(stateDir, { recursive: true });
    this.#closers.push(hold(join(stateDir, 'house.hold')));
    await this.#clearLeftovers();

    this.#step('starting PostgreSQL');
    const postgres = await startPostgres({ stateDir: join(stateDir, 'postgres') });
    this.#closers.push(() => postgres.stop());
    const databaseUrl = await postgres.ensureDatabase('carillon');
    const { kafka, brokers } = await this.#startKafka();

    const masterKey = `demo:${randomBytes(32).toString('base64')}`;
    const managementToken = randomBytes(32).toString('base64url');
    const managementPort = await freePort();
    this.#step('starting the push service');
    const pushService = await this.#startService(
      'push-service',
      '/health/ready',
      `http://127.0.0.1:${managementPort}`,
      {
        DATABASE_URL: databaseUrl,
        MANAGEMENT_PORT: String(managementPort),
        PUSH_METRICS_PORT: '0',
        MANAGEMENT_TOKEN: managementToken,
        CARILLON_MASTER_KEY: masterKey,
        CARILLON_SANDBOX: 'true',
        ...this.options.pushService,
      },
    );

    const schedulerEnv = {
      DATABASE_URL: databaseUrl,
      KAFKA_BROKERS: brokers.join(','),
      METRICS_PORT: String(await freePort()),
      CARILLON_MASTER_KEY: masterKey,
      CARILLON_SANDBOX: 'true',
      ...this.options.scheduler,
    };
    const { root } = this.options;
    await runCarillon({ args: ['migrate'], env: schedulerEnv, root });
    this.#tokens = await makeTokens(schedulerEnv, root);
    this.#step('starting the scheduler');
    const scheduler = await this.#startService('scheduler', '/health/ready', undefined, schedulerEnv);
    this.#services = {
      postgres,
      kafka,
      brokers,
      pushService,
      managementUrl: `http://127.0.0.1:${managementPort}`,
      managementToken,
      scheduler,
      commandEnv: schedulerEnv,
    };
  }

  /** Throws the signal's AbortError once it is aborted. */
  #step(sentence: string): void {
    this.options.signal?.throwIfAborted();
    this.options.say(sentence);
  }

  async #clearLeftovers(): Promise<void> {
    const { stateDir } = this.options;
    await Service.stopLeftover(stateDir, 'scheduler');
    await Service.stopLeftover(stateDir, 'push-service');
    await stopLeftoverKafka(join(stateDir, 'kafka'));
    rmSync(join(stateDir, 'kafka'), { recursive: true, force: true });
    await discardPostgres(join(stateDir, 'postgres'));
  }

  async #startKafka(): Promise<{ kafka: RunningKafka | undefined; brokers: readonly string[] }> {
    const { stateDir, say } = this.options;
    const found = this.options.kafka ?? (await findKafka({ say }));
    switch (found.kind) {
      case 'none':
        say(`${found.reason} Going on without: events are published over HTTP.`);
        return { kafka: undefined, brokers: [] };
      case 'given':
        say(`using Kafka at ${found.brokers.join(', ')}`);
        await prepareGivenKafka(found.brokers);
        return { kafka: undefined, brokers: found.brokers };
      case 'jvm':
      case 'docker':
        break;
    }
    this.#step(found.kind === 'jvm' ? 'starting Kafka' : 'starting Kafka in Docker');
    const kafka = await startKafka({ stateDir: join(stateDir, 'kafka'), found });
    this.#closers.push(() => kafka.stop());
    return { kafka, brokers: kafka.brokers };
  }

  async #startService(
    name: 'push-service' | 'scheduler',
    readyPath: string,
    readyUrl: string | undefined,
    env: Readonly<Record<string, string>>,
  ): Promise<Service> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const variable = name === 'scheduler' ? 'SCHEDULER_PORT' : 'PUSH_PORT';
    const service = new Service({
      name,
      stateDir: this.options.stateDir,
      root: this.options.root,
      url,
      readyUrl: new URL(readyPath, readyUrl ?? url).href,
      env: { ...env, [variable]: String(port) },
    });
    this.#closers.push(() => service.stop());
    await service.start();
    return service;
  }
}

/** One token for each role, for every serviceId. */
async function makeTokens(
  env: Readonly<Record<string, string>>,
  root: string | undefined,
): Promise<Record<(typeof ROLES)[number], string>> {
  const made = await Promise.all(
    ROLES.map(async (role) => {
      const args = [
        'tokens',
        'create',
        '--first',
        '--name',
        `demo ${role}`,
        '--role',
        role,
        '--service',
        '*',
      ];
      return [role, CreatedToken.parse(await runCarillon({ args, env, root })).token] as const;
    }),
  );
  return Object.fromEntries(made) as Record<(typeof ROLES)[number], string>;
}
