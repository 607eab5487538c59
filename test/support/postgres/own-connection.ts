// A connection beside a database's pool, with the same settings: holds locks, an open transaction or settings of its own
// while the pool goes on.
import type { Client } from 'pg';
import type { Sql } from '../../../src/platform/database/database.js';
import { connect, type PooledDatabase } from '../../../src/platform/database/pooled-database.js';

export class OwnConnection implements Sql {
  private constructor(readonly client: Client) {}

  static async beside({ options }: PooledDatabase): Promise<OwnConnection> {
    return new OwnConnection(await connect(options));
  }

  async query<Row = Record<string, unknown>>(
    text: string,
    parameters: readonly unknown[] = [],
  ): Promise<Row[]> {
    return (await this.client.query(text, [...parameters])).rows as Row[];
  }

  /** Ends it, and with it whatever it holds. */
  release(): Promise<void> {
    return this.client.end();
  }
}
