// A connection beside a database's pool, with the same settings: holds locks, an open transaction or settings of its own
// while the pool goes on.
import { Client } from 'pg';
import type { Sql } from '../../src/platform/database/database.js';
import { connectionConfig, type PooledDatabase } from '../../src/platform/database/pooled-database.js';

export class OwnConnection implements Sql {
  private constructor(readonly client: Client) {}

  static async beside({ options }: PooledDatabase): Promise<OwnConnection> {
    const client = new Client(connectionConfig(options));
    await client.connect();
    return new OwnConnection(client);
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
