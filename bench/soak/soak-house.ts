// What the soak runs on: two schedulers that do all the work over Kafka, a push service with a PostgreSQL of its own, and
// one PostgreSQL and one broker that can be taken away. The schedulers' clock may be set ahead of the machine's.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'pg';
import { seed } from '../../tools/demo/seed.js';
import { callWithToken } from '../../tools/demo/push-client.js';
import { House } from '../../tools/house.js';
import { Service } from '../../tools/house/service.js';
import type { RunningKafka } from '../../tools/kafka.js';
import { discardPostgres, startPostgres, type RunningPostgres } from '../../tools/postgres.js';
import { freePort } from '../../tools/process/free-port.js';

export const SERVICE = 'soak-app';
const ROLES = 'accept,plan,dispatch,follow,publish';
export const REPLICAS = 2;
/** How many sends of a project are in flight in each replica. */
export const IN_FLIGHT = 64;

export class SoakHouse {
  readonly replicas: Service[] = [];
  #last: Promise<unknown> = Promise.resolve();
  /** How far the schedulers' clock is ahead of the machine's, milliseconds. */
  aheadMs = 0;
  /** Each asked directly, without a limit of time. */
  readonly scheduler: Pool;
  readonly push: Pool;

  private constructor(
    private readonly stateDir: string,
    private readonly house: House,
    private readonly pushPostgres: RunningPostgres,
  ) {
    this.scheduler = poolOf(house.endpoints.databaseUrl, 'scheduler');
    this.push = poolOf(pushPostgres.urlOf('push'), 'push');
  }

  /** With so many users of one device each, `users` their ids. */
  static async open(users: readonly string[]): Promise<SoakHouse> {
    const stateDir = mkdtempSync(join(tmpdir(), 'carillon-soak-'));
    const pushPostgres = await startPostgres({ stateDir: join(stateDir, 'push-postgres') });
    try {
      const pushUrl = await pushPostgres.ensureDatabase('push');
      const house = await House.open({
        stateDir,
        say: (words) => process.stderr.write(`${words}\n`),
        scheduler: { CARILLON_ROLES: 'api' },
        pushService: { DATABASE_URL: pushUrl, PUSH_DEFAULT_RATE: '100000', LOG_LEVEL: 'warn' },
      });
      const opened = new SoakHouse(stateDir, house, pushPostgres);
      await opened.#furnish(users);
      return opened;
    } catch (error) {
      await pushPostgres.remove();
      throw error;
    }
  }

  get postgres(): RunningPostgres {
    return this.house.services.postgres;
  }

  get kafka(): RunningKafka {
    const { kafka } = this.house.services;
    if (kafka === undefined) throw new Error('the soak needs a broker of its own: unset KAFKA_BROKERS');
    return kafka;
  }

  get pushService(): Service {
    return this.house.services.pushService;
  }

  now(): number {
    return Date.now() + this.aheadMs;
  }

  /** What takes something away, one after the other: nothing is started while what it needs is not there. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const after = this.#last.then(work);
    this.#last = after.catch(() => undefined);
    return after;
  }

  /** Ends one after the other as a deployment does, and starts it with the clock as it is to be now. */
  async restart(index: number): Promise<void> {
    await this.replicas[index]?.stop();
    this.replicas[index] = await this.#newReplica(index);
    await this.replicas[index].start();
  }

  async setClockAhead(aheadMs: number): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    this.aheadMs = aheadMs;
    for (let index = 0; index < REPLICAS; index += 1) await this.restart(index);
  }

  /** What `carillon ledger` says of this moment; undefined where it balances. */
  async ledger(): Promise<string | undefined> {
    return this.house.command(['ledger']).then(
      () => undefined,
      (error: unknown) => (error instanceof Error ? error.message : String(error)),
    );
  }

  async close(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await Promise.all([this.scheduler.end(), this.push.end()]);
    await this.house.close();
    await discardPostgres(join(this.stateDir, 'postgres'));
    await this.pushPostgres.remove();
    rmSync(this.stateDir, { recursive: true, force: true });
  }

  async #furnish(users: readonly string[]): Promise<void> {
    const { endpoints, services } = this.house;
    await seed(
      endpoints,
      [{ serviceId: SERVICE, channels: [], schedules: [], users: users.map(reader) }],
      () => undefined,
    );
    const admin = { url: endpoints.schedulerUrl, token: endpoints.tokens.admin };
    const settings = { inFlight: IN_FLIGHT, ratePerSecond: 100_000, maxTo: 1 };
    await callWithToken(admin, 'PATCH', `/v1/projects/${SERVICE}`, settings);
    // The replicas alone have the loops: nothing is done by a clock that is not theirs.
    await services.scheduler.stop();
    for (let index = 0; index < REPLICAS; index += 1) await this.restart(index);
  }

  async #newReplica(index: number): Promise<Service> {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    return new Service({
      name: 'scheduler',
      stateDir: join(this.stateDir, `replica-${index}`),
      url,
      readyUrl: `${url}/health/ready`,
      env: {
        ...this.house.services.commandEnv,
        CARILLON_ROLES: ROLES,
        CARILLON_CLOCK: `origin=${new Date(this.now()).toISOString()},rate=1`,
        SCHEDULER_PORT: String(port),
        METRICS_PORT: '0',
        SEND_RETENTION_DAYS: '31',
        LOG_LEVEL: 'warn',
      },
    });
  }
}

function poolOf(url: string, schema: string): Pool {
  const pool = new Pool({
    connectionString: url,
    max: 2,
    options: `-c search_path=${schema} -c timezone=UTC -c max_parallel_workers_per_gather=0`,
  });
  // They go with the server, and the next statement opens others.
  pool.on('error', () => undefined);
  return pool;
}

function reader(userId: string) {
  return {
    userId,
    country: 'KR',
    language: 'ko',
    timezone: 32_400,
    devices: [{ deviceType: 'GCM' as const, deviceToken: `token-${userId}` }],
    channels: [],
    consent: { notification: true, ad: true, nightAd: true },
  };
}
