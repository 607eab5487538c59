// A whole Carillon to do harm to: two schedulers that do all the work, each reaching PostgreSQL and the push service by
// way of a proxy, and a third that only answers and stays out of it. The push service has a PostgreSQL of its own, so
// that harm to the scheduler's PostgreSQL does not touch the witness. Holds no expectation.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Pool } from 'pg';
import { Management } from '../../tools/demo/management.js';
import { callWithToken } from '../../tools/demo/push-client.js';
import { seed } from '../../tools/demo/seed.js';
import { House } from '../../tools/house.js';
import { Service } from '../../tools/house/service.js';
import type { RunningKafka } from '../../tools/kafka.js';
import { discardPostgres, startPostgres, type RunningPostgres } from '../../tools/postgres.js';
import { freePort } from '../../tools/process/free-port.js';
import { CuttingProxy } from '../support/peers/cutting-proxy.js';
import { eventually } from '../support/eventually.js';
import { TcpProxy } from '../support/peers/tcp-proxy.js';

export const SERVICE = 'faults-app';
/** Calls that each replica may have in flight: what a kill may leave unknown. */
export const IN_FLIGHT = 8;
const ROLES = 'accept,plan,dispatch,follow,publish';
const READERS = ['reader-1', 'reader-2'];

/** The service, and its users with a device each. */
export const SEEDED = [{ serviceId: SERVICE, channels: [], schedules: [], users: READERS.map(reader) }];

/** Every table that a step of a send's life writes to. */
const WRITTEN = [
  'event',
  'campaign',
  'cell',
  'send',
  'send_recipients',
  'send_note',
  'attempt',
  'send_event',
  'outbox',
];
const DISK_FULL = `
create table public.spec_disk (is_full boolean not null);
insert into public.spec_disk values (false);
create function public.spec_disk_full() returns trigger language plpgsql as $$
begin
  if (select is_full from public.spec_disk) then
    raise exception 'could not extend file: No space left on device' using errcode = 'disk_full';
  end if;
  return null;
end $$;`;

interface Deps {
  readonly stateDir: string;
  readonly house: House;
  readonly pushPostgres: RunningPostgres;
  readonly toPush: CuttingProxy;
  readonly toDatabase: TcpProxy;
}

export class FaultHouse {
  readonly management: Management;
  readonly replicas: Service[] = [];
  /** The scheduler's database and the push service's, each asked directly. */
  readonly scheduler: Pool;
  readonly push: Pool;

  private constructor(private readonly deps: Deps) {
    this.management = new Management(deps.house.endpoints);
    this.scheduler = poolOf(deps.house.endpoints.databaseUrl, 'scheduler');
    this.push = poolOf(deps.pushPostgres.urlOf('push'), 'push');
  }

  static async open(): Promise<FaultHouse> {
    const stateDir = mkdtempSync(join(tmpdir(), 'carillon-faults-'));
    const pushPostgres = await startPostgres({ stateDir: join(stateDir, 'push-postgres'), durable: false });
    const house = await House.open({
      stateDir,
      say: () => undefined,
      scheduler: { CARILLON_ROLES: 'api' },
      pushService: { DATABASE_URL: await pushPostgres.ensureDatabase('push'), PUSH_IDLE_MS: '50' },
    }).catch(async (error: unknown) => {
      await pushPostgres.remove();
      await discardPostgres(join(stateDir, 'postgres'));
      rmSync(stateDir, { recursive: true, force: true });
      throw error;
    });
    const { endpoints, services } = house;
    const toPush = await CuttingProxy.inFrontOf(services.pushService.url);
    const toDatabase = await TcpProxy.inFrontOf(endpoints.databaseUrl);
    const opened = new FaultHouse({ stateDir, house, pushPostgres, toPush, toDatabase });
    await seed({ ...endpoints, pushUrl: toPush.url }, SEEDED, () => undefined);
    await opened.setProject({ inFlight: IN_FLIGHT, ratePerSecond: 1_000 });
    await opened.scheduler.query(DISK_FULL);
    for (const table of WRITTEN) {
      await opened.scheduler.query(
        `create trigger spec_disk_full before insert or update on ${table} for each statement execute function public.spec_disk_full()`,
      );
    }
    for (const name of ['a', 'b']) opened.replicas.push(await opened.newReplica(name));
    await Promise.all(opened.replicas.map((replica) => replica.start()));
    return opened;
  }

  async close(): Promise<void> {
    const { stateDir, house, pushPostgres, toPush, toDatabase } = this.deps;
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await Promise.all([this.scheduler.end(), this.push.end(), toPush.close(), toDatabase.close()]);
    await house.close();
    await discardPostgres(join(stateDir, 'postgres'));
    await pushPostgres.remove();
    rmSync(stateDir, { recursive: true, force: true });
  }

  get toPush(): CuttingProxy {
    return this.deps.toPush;
  }
  get toDatabase(): TcpProxy {
    return this.deps.toDatabase;
  }
  get postgres(): RunningPostgres {
    return this.deps.house.services.postgres;
  }
  get kafka(): RunningKafka {
    const { kafka } = this.deps.house.services;
    if (kafka === undefined) throw new Error('these faults need a broker of their own: unset KAFKA_BROKERS');
    return kafka;
  }
  get endpoints(): House['endpoints'] {
    return this.deps.house.endpoints;
  }

  /** A scheduler without the API, not started yet, whose clock can be stepped. */
  async newReplica(name: string): Promise<Service> {
    const { house, stateDir: around, toDatabase } = this.deps;
    const stateDir = join(around, `replica-${name}`);
    mkdirSync(stateDir, { recursive: true });
    writeFileSync(clockOf(stateDir), '0');
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    return new Service({
      name: 'scheduler',
      stateDir,
      url,
      readyUrl: `${url}/health/ready`,
      env: {
        ...house.services.commandEnv,
        CARILLON_ROLES: ROLES,
        DATABASE_URL: toDatabase.through(house.endpoints.databaseUrl),
        DATABASE_POOL_SIZE: '5',
        SCHEDULER_PORT: String(port),
        METRICS_PORT: '0',
        LOOK_AHEAD_MS: '1000',
        REPLICA_SILENT_SECONDS: '10',
        // A busy machine answers late, and nobody may be left in doubt for that.
        PUSH_TIMEOUT_MS: '8000',
        LOOP_IDLE_MS: '250',
        NODE_OPTIONS: `--import=${pathToFileURL(join(import.meta.dirname, '../support/runner/stepped-clock.mjs')).href}`,
        STEPPED_CLOCK_FILE: clockOf(stateDir),
      },
    });
  }

  /** Sets the clocks of all replicas so far ahead of the machine's (or behind it); returns once they have taken it. */
  async stepClocks(aheadMs: number): Promise<void> {
    for (const replica of this.replicas) {
      const file = clockOf(join(replica.logFile, '..'));
      writeFileSync(file, String(aheadMs));
      replica.signal('SIGUSR2');
      await eventually(async () => (await readFile(`${file}.${replica.pid}`, 'utf8')) === String(aheadMs));
    }
  }

  /** Waits until all replicas say that their clock is not the database's: they send nothing until it is. */
  async clocksFoundWrong(): Promise<void> {
    const headers = { authorization: `Bearer ${this.endpoints.tokens.operator}` };
    for (const { url } of this.replicas)
      await eventually(async () => {
        const answer = await fetch(new URL('/health/ready', url), { headers });
        return answer.status === 503 && /machine's clock is .* ahead/.test(await answer.text());
      });
  }

  /** While it is so, every statement that writes to the scheduler's tables ends with 53100, as on a full disk. */
  async setDiskFull(isFull: boolean): Promise<void> {
    await this.scheduler.query('update public.spec_disk set is_full = $1', [isFull]);
  }

  async setProject(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const { schedulerUrl, tokens } = this.endpoints;
    const admin = { url: schedulerUrl, token: tokens.admin };
    await callWithToken(admin, 'PATCH', `/v1/projects/${SERVICE}`, settings);
  }

  async clearFaults(): Promise<void> {
    const { managementUrl, tokens } = this.endpoints;
    const management = { url: managementUrl, token: tokens.management };
    await callWithToken(management, 'DELETE', '/v1/sandbox/faults');
  }

  /** `carillon ledger`; throws what it printed when its exit code is not 0. */
  async ledger(): Promise<void> {
    await this.deps.house.command(['ledger']);
  }

  /** The ends of the replicas' logs, for a failure. */
  async logs(): Promise<string> {
    const texts = await Promise.all(this.replicas.map((replica) => readFile(replica.logFile, 'utf8')));
    const ends = texts.map((text) => text.trimEnd().split('\n').slice(-15));
    return ends.map((lines) => lines.map((line) => line.slice(0, 400)).join('\n')).join('\n────\n');
  }
}

function clockOf(stateDir: string): string {
  return join(stateDir, 'clock');
}

export function poolOf(url: string, schema: string): Pool {
  const pool = new Pool({
    connectionString: url,
    max: 3,
    options: `-c search_path=${schema} -c timezone=UTC`,
  });
  // Its connections go when the server does; the next statement opens another.
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
