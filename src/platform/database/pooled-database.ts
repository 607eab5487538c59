// The pool of connections to PostgreSQL, for both services. A connection goes back to the pool only when it is certainly in no
// transaction. Any other is closed: otherwise the next statement would run inside the transaction that was left open.
import type { Secret } from '../env.js';
import { errorCode, messageOf } from '../logging/error-code.js';
import { Client, Pool, type ClientBase, type ClientConfig } from 'pg';
import type { MigrationInterface } from 'typeorm';
import { isDatabaseAway, isReadOnly } from './database-away.js';

export interface DatabaseOptions {
  url: string;
  /** The service's own schema. migrate() creates it. */
  schema: string;
  migrations: readonly (new () => MigrationInterface)[];
  /** The most connections. */
  poolSize: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Further settings of every connection. */
  settings?: Readonly<Record<string, string>>;
  limits?: Partial<DatabaseLimits>;
  /** Called with every error of a connection or statement, before the caller gets it: see database-outages.ts. */
  onFault?: (error: unknown) => void;
}

export interface PoolLoad {
  readonly name: string;
  /** Connections that are in use, and that are open and are not. */
  readonly busy: number;
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

/** Limits of every connection, real milliseconds; 0: no limit. */
const LIMITS = {
  /** After this time the server ends a statement with 57014. The connection stays usable. */
  statementMs: 25_000,
  /**
   * How long the client waits for an answer. Longer than statementMs, for the case that the server cannot end the statement. A
   * database that hangs must fail a round of a loop, and not stop the loop for ever.
   */
  answerMs: 30_000,
  /** The server ends a connection whose transaction is idle for so long. Some transactions wait for Kafka's brokers. */
  idleInTransactionMs: 90_000,
  /** How often the server checks whether the client of a running statement is still connected. */
  connectionCheckMs: 5_000,
};
export type DatabaseLimits = Readonly<typeof LIMITS>;

const CONNECT_MS = 5_000;

/** PostgreSQL's settings for every connection, by name. */
function settingsOf(options: DatabaseOptions): Readonly<Record<string, string>> {
  const limits = { ...LIMITS, ...options.limits };
  return {
    search_path: options.schema,
    timezone: 'UTC',
    // A database or role may have settings of its own. The driver cannot read instants in another style, and a null in an array
    // would become the word.
    datestyle: 'ISO, YMD',
    intervalstyle: 'postgres',
    extra_float_digits: '1',
    array_nulls: 'on',
    standard_conforming_strings: 'on',
    // Pages are in memory or on flash. With the default of 4 the planner chooses a scan of the table for a batch by primary key.
    random_page_cost: '1.1',
    // Off, because PostgreSQL 18.4 can crash (SIGSEGV in perform_pruning_base_step) when a statement that waited for a row of a
    // partitioned table reads that row again. Functions that write to sends switch it on. They name the bounds of ended_at as
    // constants of the plan, so that nothing is left to prune while they run.
    enable_partition_pruning: 'off',
    // All statements are written for this level.
    default_transaction_isolation: 'read committed',
    statement_timeout: String(limits.statementMs),
    idle_in_transaction_session_timeout: String(limits.idleInTransactionMs),
    client_connection_check_interval: String(limits.connectionCheckMs),
    ...options.settings,
  };
}

/** How to make a connection. enter() gives it its settings. */
export function connectionConfig(options: DatabaseOptions): ClientConfig {
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: options.limits?.answerMs ?? LIMITS.answerMs,
    // So firewalls and proxies between us and the database see that the connection is in use.
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
  };
}

/** The Database of both services. Connects with its first statement. */
export class PooledDatabase {
  #pool: Pool;
  #isInitialized = false;
  readonly #beside: PooledDatabase[] = [];

  constructor(readonly options: DatabaseOptions) {
    this.#pool = newPool(options);
  }

  /** Whether the database was reached. */
  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  /** How busy this pool and those beside it are, by the name of their connections. */
  get load(): readonly PoolLoad[] {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.#pool;
    const { applicationName: name } = this.options;
    return [{ name, busy: open - idle, idle, waiting }, ...this.#beside.flatMap((other) => other.load)];
  }

  /** Throws while the database cannot be reached. After destroy() it makes a new pool. */
  async initialize(): Promise<this> {
    this.#begin();
    await this.query('select 1');
    this.#isInitialized = true;
    return this;
  }

  /** Ends every connection as soon as it is released. */
  async destroy(): Promise<void> {
    this.#isInitialized = false;
    await Promise.all(this.#beside.map((other) => other.destroy()));
    if (!this.#pool.ending) await this.#pool.end();
  }

  /**
   * A further pool for another kind of work, so that neither waits for the other's connections. Options that are not given are
   * those of this pool. It begins and ends with this pool.
   */
  beside(given: Partial<DatabaseOptions>): PooledDatabase {
    const other = new PooledDatabase({ ...this.options, ...given });
    this.#beside.push(other);
    return other;
  }

  #begin(): void {
    if (this.#pool.ending) this.#pool = newPool(this.options);
    for (const other of this.#beside) other.#begin();
  }

  /** The rows of one statement, outside transactions. `answerMs`: the limit for this statement. */
  query<Row = Record<string, unknown>>(
    text: string,
    parameters: readonly unknown[] = [],
    answerMs?: number,
  ): Promise<Row[]> {
    return again(() => this.#connected((connection) => connection.query<Row>(text, parameters, answerMs)));
  }

  /**
   * Commits when `work` resolves; otherwise everything is rolled back. The outcome is unknown only where COMMIT itself was not
   * answered. If another transaction was in the way, `work` runs again (see again()), so it may change nothing but the database.
   * Never call it inside another: that takes a second connection. `begin`: the first statement, with further settings.
   */
  transaction<Result>(
    work: (sql: Pick<PooledDatabase, 'query'>) => Promise<Result>,
    begin = 'begin',
  ): Promise<Result> {
    return again(() =>
      this.#connected(async (connection) => {
        await connection.query(begin);
        let result: Result;
        try {
          result = await work(connection);
        } catch (error) {
          await connection.rollBack();
          throw error;
        }
        await connection.commit();
        return result;
      }),
    );
  }

  async #connected<Result>(work: (connection: PooledConnection) => Promise<Result>): Promise<Result> {
    const { onFault = () => undefined } = this.options;
    const client = await this.#pool.connect().catch((cause: unknown) => {
      const error = new NotConnectedError(cause);
      onFault(error);
      throw error;
    });
    const connection = new PooledConnection(client, onFault);
    try {
      return await work(connection);
    } finally {
      client.release(!connection.end());
    }
  }
}

/**
 * How often work may meet a row that moves to another partition. Each time somebody else has ended a send, and the next try finds
 * it ended, so the tries come to an end. A page of many sends may meet many that others end one by one.
 */
const MOVES_MET = 100;
/** How often work may meet a deadlock, or lose a race. */
const RACES_MET = 5;

/**
 * Does work again that was rolled back as a whole because of another transaction: a row that it waited for moved to another
 * partition, as a send does when it ends; a deadlock; a race that it lost.
 */
export async function again<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries >= mostTries(error)) throw error;
    }
  }
}

function mostTries(error: unknown): number {
  if (isMoved(error)) return MOVES_MET;
  return error instanceof RaceLostError || errorCode(error) === '40P01' ? RACES_MET : 1;
}

/**
 * PostgreSQL refuses to follow a row to another partition (SQLSTATE 40001). The name of the server's function shows it
 * (PostgreSQL 18: heapam_handler.c), because the text may be in any language.
 */
function isMoved(error: unknown): boolean {
  return errorCode(error) === '40001' && (error as { routine?: unknown }).routine === 'heapam_tuple_lock';
}

function newPool(options: DatabaseOptions): Pool {
  const pool = new Pool({
    ...connectionConfig(options),
    max: options.poolSize,
    // Longer than the driver's default of 10 s: a connection keeps the plans of prepared statements, and some loops rest longer.
    idleTimeoutMillis: 300_000,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it; its types do not say so
    onConnect: (client) => enter(client, options),
  });
  // An error of an idle connection: the pool has already dropped it.
  pool.on('error', () => undefined);
  return pool;
}

/** A connection while one piece of work uses it. */
class PooledConnection {
  /** A statement was not answered. Nobody knows whether it still runs, and what it did. */
  #isLost = false;
  /** The server refused to write. */
  #onlyReads = false;
  #isOver = false;

  constructor(
    private readonly client: ClientBase,
    private readonly onFault: (error: unknown) => void,
  ) {}

  async query<Row>(text: string, parameters: readonly unknown[] = [], answerMs?: number): Promise<Row[]> {
    return (await this.#ask(text, parameters, answerMs)).rows as Row[];
  }

  async commit(): Promise<void> {
    if (this.#isLost) throw new RolledBackError('the connection is lost: the transaction was rolled back');
    const { command } = await this.#ask('commit');
    // The server answers this if a statement failed before, even if its error was caught.
    if (command === 'ROLLBACK')
      throw new RolledBackError('a statement had failed: the transaction was rolled back');
  }

  /** Never throws: if the rollback fails the connection is closed, and then the server rolls back. */
  async rollBack(): Promise<void> {
    // After a statement that was not answered, the rollback would wait in the driver and never be sent.
    if (!this.#isLost) await this.#ask('rollback').catch(() => undefined);
  }

  /**
   * Returns whether others may use the connection: every statement was answered, and no transaction is open. A connection to a
   * read-only server may not be used: after a switch to another primary that server may stay read-only, and a new connection
   * leads to the primary.
   */
  end(): boolean {
    this.#isOver = true;
    return !this.#isLost && !this.#onlyReads && this.client.getTransactionStatus() === 'I';
  }

  async #ask(text: string, parameters: readonly unknown[] = [], answerMs?: number): Promise<Answer> {
    if (this.#isOver) throw new Error('the transaction is over');
    const name = names.get(text);
    try {
      // A text with several statements is answered with an array.
      const answer: Answer | Answer[] = await this.client.query<Record<string, unknown>>({
        text,
        // Not copied, because nothing changes them.
        values: parameters as unknown[],
        ...(name !== undefined && { name }),
        ...(answerMs !== undefined && { query_timeout: answerMs }),
      });
      return Array.isArray(answer) ? { command: '', rows: [] } : answer;
    } catch (error) {
      this.#isLost ||= !isAnswer(error);
      this.#onlyReads ||= isReadOnly(error);
      this.onFault(error);
      throw error;
    }
  }
}

interface Answer {
  readonly command: string;
  readonly rows: readonly unknown[];
}

/** The transaction was rolled back although no error ended its work. Another try may succeed. */
export class RolledBackError extends Error {
  /** PostgreSQL's own class for it: transaction rollback. */
  readonly code = '40000';
}

/** Work throws it when its look-ups are out of date, because others wrote meanwhile. It is undone, and done again. */
export class RaceLostError extends Error {
  readonly code = 'RACE_LOST';
}

/** No statement was sent. The cause may pass: network, password, or a database that takes no connections. */
export class NotConnectedError extends Error {
  /** PostgreSQL's own class for it: connection exception. */
  readonly code = '08001';

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** Whether the server has answered and keeps the connection. Only the server sets a severity, in its own language. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && !isDatabaseAway(error);
}

const names = new Map<string, string>();

/**
 * Makes PostgreSQL parse and plan a statement once for each connection instead of at every call. That saves some 100 µs of the
 * database's processor time for each call (an insert of twelve columns, PostgreSQL 18). Call it once, for a constant of a module.
 * Use it only for statements whose best plan does not depend on the parameters: single rows by key, calls of a function, the head
 * of an index. The plan that is kept does not know the parameters, and the best plan for one row may be wrong for a thousand.
 */
export function prepared(text: string): string {
  names.set(text, `carillon_${names.size}`);
  return text;
}

/**
 * Prepares every new connection. The error listener stays for good. An error event without a listener would end the process; the
 * pool listens to idle connections only; and the server may send an error right after its greeting, before the caller has the
 * connection. When a connection breaks, its statement fails, and that is enough. A statement makes the settings, because poolers
 * refuse or drop settings in the startup message.
 */
export async function enter(client: ClientBase, options: DatabaseOptions): Promise<void> {
  client.on('error', () => undefined);
  const settings = Object.entries(settingsOf(options));
  await client.query(
    'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as s(name, value)',
    [settings.map(([name]) => name), settings.map(([, value]) => value)],
  );
}

/**
 * A connection outside the pool and without its settings, for probes. The caller connects and ends it. `answerMs`: the limit for
 * connecting and for each answer, real milliseconds.
 */
export function bareClient(url: Secret, applicationName: string, answerMs: number): Client {
  const client = new Client({
    connectionString: url.reveal(),
    application_name: applicationName,
    connectionTimeoutMillis: answerMs,
    query_timeout: answerMs,
    keepAlive: true,
  });
  // An error event without a listener would end the process, even after the connection is lost.
  client.on('error', () => undefined);
  return client;
}

/** A connection outside the pool, with the same settings. The caller ends it. */
export async function connect(options: DatabaseOptions): Promise<Client> {
  const client = new Client(connectionConfig(options));
  client.on('error', () => undefined);
  await client.connect();
  try {
    await enter(client, options);
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error;
  }
  return client;
}
