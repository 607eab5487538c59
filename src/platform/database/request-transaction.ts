// One transaction for all changes of a request, so that the commit that makes the changes also keeps the answer
// (docs/decisions/0068). It begins with the first change. Use cases do not know it: AsyncLocalStorage passes it on beside their
// calls.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Database, type Sql } from './database.js';
import { again, RolledBackError } from './pooled-database.js';

const current = new AsyncLocalStorage<RequestTransaction>();

/** Writes the answer where a repeated request finds it. Throws where the answer may not be given any more. */
type Keep = (sql: Sql, answer: unknown) => Promise<void>;

export class RequestTransaction {
  #sql: Promise<Sql> | undefined;
  /** Settles when the whole transaction has ended. */
  #done: Promise<void> | undefined;
  #finish: { commit(): void; rollBack(error: Error): void } | undefined;
  #hasEnded = false;
  /** The step that runs now. Steps run one after another, because each has a savepoint. */
  #running: Promise<unknown> | undefined;

  constructor(private readonly keep: Keep) {}

  /** What JoinedDatabases do inside `work` belongs to this transaction. */
  within<Result>(work: () => Promise<Result>): Promise<Result> {
    return current.run(this, work);
  }

  get hasBegun(): boolean {
    return this.#sql !== undefined;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Runs a step of the transaction. A step that fails is undone alone. The first step begins the transaction, on this database.
   */
  async step<Result>(database: Database, work: (sql: Sql) => Promise<Result>): Promise<Result> {
    const sql = await (this.#sql ??= this.#begin(database));
    while (this.#running !== undefined) await this.#running;
    const running = again(() => inSavepoint(sql, work));
    this.#running = running.catch(() => undefined);
    try {
      return await running;
    } finally {
      this.#running = undefined;
    }
  }

  /** Commits with the answer. If nothing was changed, it does nothing. */
  async commit(answer: unknown): Promise<void> {
    await this.#end((sql) => this.keep(sql, answer));
  }

  /** Commits the changes and those of `last`, without an answer. */
  async commitWithout(last: (sql: Sql) => Promise<void>): Promise<void> {
    await this.#end(last);
  }

  /** Undoes everything; never rejects. */
  async rollBack(error: unknown): Promise<void> {
    if (this.#hasEnded || this.#sql === undefined) return;
    this.#hasEnded = true;
    // Not the error itself: for some errors a transaction runs again, and the steps of this one cannot.
    this.#finish?.rollBack(new Error('the request failed', { cause: error }));
    await this.#done?.catch(() => undefined);
  }

  async #end(last: (sql: Sql) => Promise<void>): Promise<void> {
    if (this.#hasEnded || this.#sql === undefined) return;
    const sql = await this.#sql;
    try {
      await last(sql);
    } catch (error) {
      await this.rollBack(error);
      throw error;
    }
    this.#hasEnded = true;
    this.#finish?.commit();
    await this.#done;
  }

  #begin(database: Database): Promise<Sql> {
    const finished = new Promise<void>((commit, rollBack) => {
      this.#finish = { commit, rollBack };
    });
    // If the transaction cannot begin, nobody waits for it, and a rejection that nobody handles would end the process.
    finished.catch(() => undefined);
    return new Promise((begun, failed) => {
      let hasBegun = false;
      this.#done = database.transaction(async (sql) => {
        // The steps are over: a second run would commit an empty transaction instead of theirs.
        if (hasBegun) throw new RolledBackError('the commit was undone');
        hasBegun = true;
        begun(sql);
        await finished;
      });
      this.#done.catch(failed);
    });
  }
}

/**
 * A database whose changes belong to the transaction of the request, where there is one. Reads before the first change are
 * outside the transaction. Only for the use cases of the API: requests share loops and caches.
 */
export class JoinedDatabase extends Database {
  constructor(private readonly database: Database) {
    super();
  }

  readonly query = <Row>(text: string, parameters?: readonly unknown[]): Promise<Row[]> => {
    const request = current.getStore();
    if (request === undefined || !request.hasBegun || request.hasEnded)
      return this.database.query<Row>(text, parameters);
    return request.step(this.database, (sql) => sql.query<Row>(text, parameters));
  };

  override transaction<Result>(work: (sql: Sql) => Promise<Result>, begin?: string): Promise<Result> {
    const request = current.getStore();
    if (request === undefined || request.hasEnded || begin !== undefined)
      return this.database.transaction(work, begin);
    return request.step(this.database, work);
  }
}

/** Commits the changes of the request with this answer now: what follows may take long, and only improves the answer. */
export async function commitWithAnswer(answer: unknown): Promise<void> {
  await current.getStore()?.commit(answer);
}

async function inSavepoint<Result>(sql: Sql, work: (sql: Sql) => Promise<Result>): Promise<Result> {
  await sql.query('savepoint step');
  let result: Result;
  try {
    // What the work asks of a database beside its own connection is no step of the transaction.
    result = await current.exit(() => work(sql));
  } catch (error) {
    // A connection that is lost rolls back by itself, and says so at the commit.
    await sql.query('rollback to savepoint step').catch(() => undefined);
    throw error;
  }
  await sql.query('release savepoint step');
  return result;
}
