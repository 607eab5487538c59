// Starts a PostgreSQL on 127.0.0.1 for the demo, the tests and the benches. Stops it by its pid, even if a killed owner left it
// over. Production uses its own: nothing here is used when DATABASE_URL is set.
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { scheduler } from 'node:timers/promises';
import { Client } from 'pg';
import { findPostgresBinaries, NOBODY, type PostgresBinaries } from './postgres/binaries.js';
import { knownCluster, openCluster, removeCluster, type Cluster } from './postgres/cluster.js';
import { freePort } from './process/free-port.js';
import { hold } from './process/hold.js';
import { commandOf, identityOf } from './process/identity.js';
import { OwnedProcess, stopLeftover } from './process/owned-process.js';

export interface PostgresOptions {
  /** Keeps what names the cluster, its log and, where nobody may enter it, its data. Made when missing. */
  stateDir: string;
  /**
   * False turns fsync off: then a kill loses nothing, but a power cut loses everything. For clusters of a test run. Default true.
   */
  durable?: boolean;
  /** The port that it must use; by default any free port. */
  port?: number;
  /** Further settings of postgresql.conf. */
  settings?: Readonly<Record<string, string>>;
}

export interface RunningPostgres {
  readonly pid: number;
  readonly port: number;
  readonly dataDir: string;
  readonly logFile: string;
  /** Resolves once its process is gone, with a few words on how. */
  ended(): Promise<string>;
  /** The superuser's URL of database `postgres`; holds the password. */
  readonly url: string;
  urlOf(database: string): string;
  /** Makes the database unless it is there, and returns its URL. */
  ensureDatabase(name: string): Promise<string>;
  /** Fast shutdown, until restart(). */
  halt(): Promise<void>;
  /** On the same port and data; whatever still runs (or is paused) is stopped first. */
  restart(): Promise<void>;
  /** Fast shutdown: open transactions are rolled back, the data is left whole. */
  stop(): Promise<void>;
  /** Stops it and deletes its data. */
  remove(): Promise<void>;
}

/** Thrown when PostgreSQL ended before it was ready. The message has its output. */
export class PostgresStartError extends Error {
  readonly code = 'POSTGRES_NOT_STARTED';
}

const PORT_TAKEN = /could not bind|Address already in use/;
/** After a kill −9 the children of the old server need a moment to notice. */
const STILL_DYING = /pre-existing shared memory block/;

/** Starts it and returns once it takes connections. Throws HeldError when another living process uses `stateDir`. */
export async function startPostgres(options: PostgresOptions): Promise<RunningPostgres> {
  if (!existsSync(options.stateDir)) {
    mkdirSync(options.stateDir, { recursive: true });
    // Whatever the umask: nobody must pass through on the way to the data, which is closed itself.
    chmodSync(options.stateDir, 0o755);
  }
  const release = hold(join(options.stateDir, 'postgres.hold'));
  try {
    const binaries = findPostgresBinaries();
    const cluster = await openCluster(options.stateDir, binaries, options.durable ?? true);
    await clearLeftover(cluster);
    const server = new Server(options, binaries, cluster, release);
    await server.start();
    return server;
  } catch (error) {
    release();
    throw error;
  }
}

/** Stops and deletes what a killed owner left in `stateDir`. Throws HeldError when its owner lives. */
export async function discardPostgres(stateDir: string): Promise<void> {
  const cluster = knownCluster(stateDir);
  if (cluster === undefined) return;
  const release = hold(join(stateDir, 'postgres.hold'));
  try {
    await clearLeftover(cluster);
    removeCluster(stateDir, cluster);
  } finally {
    release();
  }
}

class Server implements RunningPostgres {
  readonly logFile: string;
  readonly #options: PostgresOptions;
  readonly #binaries: PostgresBinaries;
  readonly #cluster: Cluster;
  readonly #release: () => void;
  #process: OwnedProcess | undefined;
  #port = 0;

  constructor(options: PostgresOptions, binaries: PostgresBinaries, cluster: Cluster, release: () => void) {
    this.#options = options;
    this.#binaries = binaries;
    this.#cluster = cluster;
    this.#release = release;
    this.logFile = join(options.stateDir, 'postgres.log');
    rmSync(this.logFile, { force: true });
  }

  get pid(): number {
    return this.#process?.identity.pid ?? 0;
  }
  get port(): number {
    return this.#port;
  }
  get dataDir(): string {
    return this.#cluster.dataDir;
  }
  get url(): string {
    return this.urlOf('postgres');
  }
  urlOf(database: string): string {
    return `postgres://postgres:${this.#cluster.password}@127.0.0.1:${this.#port}/${encodeURIComponent(database)}`;
  }

  async start(): Promise<void> {
    const wanted = this.#port === 0 ? this.#options.port : this.#port;
    for (let attempt = 1; ; attempt += 1) {
      const port = wanted ?? (await freePort());
      const problem = await this.#launch(port);
      if (problem === undefined) {
        this.#port = port;
        return;
      }
      const again = (PORT_TAKEN.test(problem) && wanted === undefined) || STILL_DYING.test(problem);
      if (!again || attempt === 50) throw new PostgresStartError(sentence(problem, port));
      if (STILL_DYING.test(problem)) await scheduler.wait(200);
    }
  }

  async ended(): Promise<string> {
    return this.#process?.exited ?? 'not started';
  }

  async halt(): Promise<void> {
    await this.#process?.stop();
  }

  async restart(): Promise<void> {
    await this.halt();
    await this.start();
  }

  async stop(): Promise<void> {
    await this.halt();
    this.#release();
  }

  async remove(): Promise<void> {
    await this.stop();
    removeCluster(this.#options.stateDir, this.#cluster);
  }

  async ensureDatabase(name: string): Promise<string> {
    const client = new Client({ connectionString: this.url });
    await client.connect();
    try {
      const found = await client.query('select from pg_database where datname = $1', [name]);
      if (found.rowCount === 0) await client.query(`create database ${client.escapeIdentifier(name)}`);
    } finally {
      await client.end();
    }
    return this.urlOf(name);
  }

  /** Its output if it ended at once; undefined once it is ready. */
  async #launch(port: number): Promise<string | undefined> {
    const { settings = {}, durable = true } = this.#options;
    const all: Record<string, string> = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      // A hundred days of each table: docs/operate/sizing.md, "Locks".
      max_locks_per_transaction: '256',
      timezone: 'UTC',
      log_timezone: 'UTC',
      ...(durable ? {} : { fsync: 'off', full_page_writes: 'off' }),
      ...settings,
    };
    const child = await OwnedProcess.start({
      command: this.#binaries.postgres,
      args: [
        '-D',
        this.dataDir,
        '-p',
        String(port),
        ...Object.entries(all).flatMap(([key, value]) => ['-c', `${key}=${value}`]),
      ],
      env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' },
      logFile: this.logFile,
      stopSignal: 'SIGINT',
      ...(process.getuid?.() === 0 ? { runAs: NOBODY } : {}),
    });
    this.#process = child;
    while (child.end === undefined) {
      const [pid, , , , , , , status = ''] = pidFileOf(this.dataDir);
      // The last line of postmaster.pid is what pg_ctl itself waits for.
      if (Number(pid) === child.identity.pid && ['ready', 'standby'].includes(status.trim()))
        return undefined;
      await scheduler.wait(10);
    }
    return `${child.output.trim()}\n(${child.end})`;
  }
}

function sentence(problem: string, port: number): string {
  if (PORT_TAKEN.test(problem))
    return `port ${port} of 127.0.0.1 is taken by another program; choose another or free it`;
  return `PostgreSQL did not start:\n${problem}`;
}

/** postmaster.pid by lines: pid, data folder, start, port, socket folder, listen address, shared memory, status. */
function pidFileOf(dataDir: string): string[] {
  try {
    return readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n');
  } catch {
    return [];
  }
}

/** Stops a server that runs on this data although its owner is gone; forgets a pid that belongs to somebody else now. */
async function clearLeftover(cluster: Cluster): Promise<void> {
  const pid = Number(pidFileOf(cluster.dataDir)[0]);
  if (!(pid > 0)) return;
  const found = identityOf(pid);
  if (found !== undefined && commandOf(pid).includes(cluster.dataDir)) await stopLeftover(found, 'SIGINT');
  rmSync(join(cluster.dataDir, 'postmaster.pid'), { force: true });
}
