// The pool of connections that both services speak to PostgreSQL through. A connection goes back to it only when it is
// known to stand between transactions; any other is closed, for whoever asks next would run inside what it left.
import { messageOf } from '../error-code.js';
import { Client, Pool, type ClientBase, type ClientConfig } from 'pg';
import type { MigrationInterface } from 'typeorm';
import { isDatabaseAway } from './database-away.js';

export interface DatabaseOptions {
  url: string;
  /** The service's own schema; created by its first migration. */
  schema: string;
  migrations: readonly (new () => MigrationInterface)[];
  /** At most this many connections. */
  poolSize: number;
  /** Shown in pg_stat_activity. */
  applicationName: string;
  /** Further settings of every connection; names and values without spaces. */
  settings?: Readonly<Record<string, string>>;
  limits?: Partial<DatabaseLimits>;
  /** Hears every error of a connection or a statement, before whoever asked: see database-outages.ts. */
  onFault?: (error: unknown) => void;
}

/** Of every connection, real milliseconds; 0: no limit. */
export interface DatabaseLimits {
  /** The server ends a statement after so long, with 57014, and the connection can be used again [25 000]. */
  readonly statementMs: number;
  /**
   * An answer is waited for so long [30 000]: beyond statementMs, so that it ends what the server cannot. A database that
   * hangs must fail a round of a loop, not stop it for ever.
   */
  readonly answerMs: number;
  /** The server ends a connection whose transaction asks nothing for so long [90 000]: some wait for Kafka's brokers. */
  readonly idleInTransactionMs: number;
  /** So often the server looks whether the client of a running statement is still there [5 000]. */
  readonly connectionCheckMs: number;
}

const LIMITS: DatabaseLimits = {
  statementMs: 25_000,
  answerMs: 30_000,
  idleInTransactionMs: 90_000,
  connectionCheckMs: 5_000,
};

const CONNECT_MS = 5_000;

/** Of every connection, by name. */
function settingsOf(options: DatabaseOptions): Readonly<Record<string, string>> {
  const limits = { ...LIMITS, ...options.limits };
  return {
    search_path: options.schema,
    timezone: 'UTC',
    // Pages lie in memory or on flash: at the default of 4, a batch by primary key is planned as a scan of the table.
    random_page_cost: '1.1',
    // Off: PostgreSQL 18.4 itself can end by SIGSEGV (perform_pruning_base_step) where a statement that waited for a row of a
    // partitioned table looks at it again. Functions that write to sends have it on, planned anew for one partition, so that
    // none is left to prune while they run: sql/scheduler/functions/days_of.sql.
    enable_partition_pruning: 'off',
    // What every statement here is written for.
    default_transaction_isolation: 'read committed',
    statement_timeout: String(limits.statementMs),
    idle_in_transaction_session_timeout: String(limits.idleInTransactionMs),
    client_connection_check_interval: String(limits.connectionCheckMs),
    ...options.settings,
  };
}

/** How a connection of its own is made, but for its settings, which enter() gives it. */
export function connectionConfig(options: DatabaseOptions): ClientConfig {
  return {
    connectionString: options.url,
    application_name: options.applicationName,
    connectionTimeoutMillis: CONNECT_MS,
    query_timeout: options.limits?.answerMs ?? LIMITS.answerMs,
    // What stands between us and the database sees the connection used.
    keepAlive: true,
    keepAliveInitialDelayMillis: 30_000,
  };
}

/** The Database of both services. Connects when it is first asked for something. */
export class PooledDatabase {
  #pool: Pool;
  #isInitialized = false;
  readonly #beside: PooledDatabase[] = [];

  constructor(readonly options: DatabaseOptions) {
    this.#pool = newPool(options);
  }

  /** Whether the database has been reached. */
  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  /** Throws while the database cannot be reached. Also after destroy(): it begins anew then. */
  async initialize(): Promise<this> {
    this.#begin();
    await this.query('select 1');
    this.#isInitialized = true;
    return this;
  }

  /** Ends every connection, each once it is released. */
  async destroy(): Promise<void> {
    this.#isInitialized = false;
    await Promise.all(this.#beside.map((other) => other.destroy()));
    if (!this.#pool.ending) await this.#pool.end();
  }

  /**
   * A pool of its own for another kind of work, so that neither waits for the other's connections; what is not given is as
   * here. It begins and ends with this one.
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

  /** The rows of one statement of its own. `answerMs`: of this one. */
  query<Row = Record<string, unknown>>(
    text: string,
    parameters: readonly unknown[] = [],
    answerMs?: number,
  ): Promise<Row[]> {
    return this.#connected((connection) => connection.query<Row>(text, parameters, answerMs));
  }

  /**
   * Commits when `work` ends well; else nothing of it stands, but where COMMIT itself was not answered: then it is not
   * known. Never call it inside another: that takes a second connection. `begin`: the statement, and what else is set for it.
   */
  transaction<Result>(
    work: (sql: Pick<PooledDatabase, 'query'>) => Promise<Result>,
    begin = 'begin',
  ): Promise<Result> {
    return this.#connected(async (connection) => {
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
    });
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

function newPool(options: DatabaseOptions): Pool {
  const pool = new Pool({
    ...connectionConfig(options),
    max: options.poolSize,
    // A connection knows the plans of what it was asked, and the driver's 10 s are shorter than some loops rest.
    idleTimeoutMillis: 300_000,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it; its types do not say so
    onConnect: (client) => enter(client, options),
  });
  // Of a connection that lies idle: the pool has dropped it already.
  pool.on('error', () => undefined);
  return pool;
}

/** A connection while one piece of work has it. */
class PooledConnection {
  /** A statement was not answered: whether it runs still, and what it left, is not known. */
  #isLost = false;
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
    // So the server answers where a statement had failed, whoever caught it.
    if (command === 'ROLLBACK')
      throw new RolledBackError('a statement had failed: the transaction was rolled back');
  }

  /** Never throws: a connection that cannot be rolled back is closed, by which the server rolls back. */
  async rollBack(): Promise<void> {
    // Behind a statement that is not answered it would wait in the driver, and be given up unsent.
    if (!this.#isLost) await this.#ask('rollback').catch(() => undefined);
  }

  /** Whether others may use the connection: nothing is unanswered, and no transaction open. */
  end(): boolean {
    this.#isOver = true;
    return !this.#isLost && this.client.getTransactionStatus() === 'I';
  }

  async #ask(text: string, parameters: readonly unknown[] = [], answerMs?: number): Promise<Answer> {
    if (this.#isOver) throw new Error('the transaction is over');
    const name = names.get(text);
    try {
      // Of several statements in one text it is an array.
      const answer: Answer | Answer[] = await this.client.query<Record<string, unknown>>({
        text,
        // Not copied: nothing changes them.
        values: parameters as unknown[],
        ...(name !== undefined && { name }),
        ...(answerMs !== undefined && { query_timeout: answerMs }),
      });
      return Array.isArray(answer) ? { command: '', rows: [] } : answer;
    } catch (error) {
      this.#isLost ||= !isAnswer(error);
      this.onFault(error);
      throw error;
    }
  }
}

interface Answer {
  readonly command: string;
  readonly rows: readonly unknown[];
}

/** Nothing of a transaction stands, though no statement of it threw to the end. Another try may do better. */
export class RolledBackError extends Error {
  /** PostgreSQL's own class for it: transaction rollback. */
  readonly code = '40000';
}

/** Nothing was asked: whatever kept us out (network, password, a database closed to all) may pass. */
export class NotConnectedError extends Error {
  /** PostgreSQL's own class for it: connection exception. */
  readonly code = '08001';

  constructor(cause: unknown) {
    super(messageOf(cause), { cause });
  }
}

/** Whether the server has answered, and goes on. Severities are given by the server alone, in its own language. */
function isAnswer(error: unknown): boolean {
  return error instanceof Error && 'severity' in error && !isDatabaseAway(error);
}

const names = new Map<string, string>();

/**
 * Marks a statement, given once as a module's constant, to be parsed and planned once a connection instead of at every
 * call: some 100 µs of the database's processor time each (an insert of twelve columns, PostgreSQL 18). Only for
 * statements whose best plan is the same whatever the parameters are: single rows by key, calls of a function, the head
 * of an index. The plan that is kept knows nothing of them, and what is best for one row may be wrong for a thousand.
 */
export function prepared(text: string): string {
  names.set(text, `carillon_${names.size}`);
  return text;
}

/**
 * The first thing done with every connection. One that breaks fails its statement, which is how we hear of it; an event of
 * it that nobody hears would end the process. For good: the pool listens to those that lie idle alone, and what the server
 * says in one breath with its greeting is read before whoever asked for the connection has it. The settings go by a
 * statement: poolers refuse them, or drop them, where a connection begins.
 */
export async function enter(client: ClientBase, options: DatabaseOptions): Promise<void> {
  client.on('error', () => undefined);
  const settings = Object.entries(settingsOf(options));
  await client.query(
    'select set_config(name, value, false) from unnest($1::text[], $2::text[]) as s(name, value)',
    [settings.map(([name]) => name), settings.map(([, value]) => value)],
  );
}

/** A connection of its own, beside the pool, with the same settings. The caller ends it. */
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
