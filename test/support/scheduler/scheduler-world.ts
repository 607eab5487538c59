// What the builders of the scheduler's specs stand on: a database with the schema, rows put into it, and a project.
import { schedulerMigrations } from '../../../migrations/scheduler/index.js';
import { createDataSource, type Sql } from '../../../src/platform/database/database.js';
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';

export const START = Date.parse('2027-03-01T00:00:00.000Z');
export const SERVICE = 'shop-app';

type Columns = Readonly<Record<string, unknown>>;

/** Connected to a database that has the schema already, or is about to get it. */
export async function connected(url: string, poolSize: number): Promise<PooledDatabase> {
  const dataSource = createDataSource({
    url,
    schema: 'scheduler',
    migrations: schedulerMigrations,
    poolSize,
    applicationName: 'spec',
  });
  await dataSource.initialize();
  return dataSource;
}

export class SchedulerWorld {
  constructor(
    readonly dataSource: PooledDatabase,
    readonly url: string,
    private readonly dropDatabase: () => Promise<void> = () => Promise.resolve(),
  ) {}

  async close(): Promise<void> {
    await this.dataSource.destroy();
    await this.dropDatabase();
  }

  async insert(table: string, row: Columns, sql: Sql = this.dataSource): Promise<void> {
    const names = Object.keys(row);
    await sql.query(
      `insert into ${table} (${names.join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`,
      Object.values(row),
    );
  }

  /** A project without a key. Returns its serviceId. */
  protected async insertProject(columns: Columns): Promise<string> {
    const row = {
      service_id: SERVICE,
      base_url: 'http://127.0.0.1:9',
      created_at: new Date(START),
      updated_at: new Date(START),
      ...columns,
    };
    await this.insert('project', row);
    return row.service_id;
  }
}
