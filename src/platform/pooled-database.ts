// A DataSource whose statements go straight to the driver's pool: TypeORM makes a query runner, asks its logger and its
// subscribers for every single one, which together take longer than the driver does. Transactions stay TypeORM's.
import type { ClientBase, Pool } from 'pg';
import { DataSource, QueryFailedError, type QueryRunner } from 'typeorm';
import { isDatabaseAway } from './database-away.js';

export class PooledDataSource extends DataSource {
  /** Answers and throws what DataSource.query() does; loggers and subscribers hear of nothing. */
  override async query<Answer>(
    text: string,
    parameters: readonly unknown[] = [],
    runner?: QueryRunner,
    timeoutMs?: number,
  ): Promise<Answer> {
    const { master: pool } = this.driver as { master?: Pool };
    // Not connected, or a runner that is released: TypeORM says so.
    if (pool === undefined || runner?.isReleased === true) {
      return super.query<Answer>(text, [...parameters], runner);
    }
    if (runner !== undefined) return ask<Answer>((await runner.connect()) as ClientBase, text, parameters);
    const client = await pool.connect();
    let isOfNoUse = false;
    try {
      return await ask<Answer>(client, text, parameters, timeoutMs);
    } catch (error) {
      isOfNoUse = isDatabaseAway(error);
      throw error;
    } finally {
      // The server is ending it, or a statement that was given up still runs on it: the next would meet that.
      client.release(isOfNoUse);
    }
  }
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
 * For the pool's onConnect. A connection that breaks fails its statement, which is how we hear of it; an event of it that
 * nobody hears would end the process. For good: the pool listens to those that lie idle alone, and what the server says
 * in one breath with its greeting is read before whoever asked for the connection has it.
 */
export function hearErrors(client: ClientBase): void {
  client.on('error', () => undefined);
}

/** As TypeORM answers: `[rows, count]` for a bare UPDATE or DELETE, rows for everything else. */
async function ask<Answer>(
  client: ClientBase,
  text: string,
  parameters: readonly unknown[],
  timeoutMs?: number,
): Promise<Answer> {
  try {
    const name = names.get(text);
    const values = parameters as unknown[];
    const statement = {
      text,
      values,
      ...(name !== undefined && { name }),
      ...(timeoutMs !== undefined && { query_timeout: timeoutMs }),
    };
    const { command, rows, rowCount } = await client.query<Record<string, unknown>>(statement);
    return (command === 'UPDATE' || command === 'DELETE' ? [rows, rowCount] : rows) as Answer;
  } catch (error) {
    throw new QueryFailedError(text, [...parameters], error as Error);
  }
}
