// The plans of statements, those inside functions too, as the server makes them for one connection.
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import type { Sql } from '../../../src/platform/database/database.js';
import { OwnConnection } from './own-connection.js';

export interface Explaining {
  /** The plans of all statements of `run`. */
  plansOf(run: (sql: Sql) => Promise<unknown>): Promise<string[]>;
  release(): Promise<void>;
}

/** A connection that keeps the plans that it has made. */
export async function explaining(database: PooledDatabase): Promise<Explaining> {
  const own = await OwnConnection.beside(database);
  const plans: string[] = [];
  own.client.on('notice', ({ message = '' }: { message?: string | undefined }) => plans.push(message));
  await own.query(
    `load 'auto_explain'; set auto_explain.log_min_duration = 0; set auto_explain.log_nested_statements = on;
     set auto_explain.log_level = notice`,
  );
  return {
    plansOf: async (run) => {
      plans.length = 0;
      await run(own);
      return [...plans];
    },
    release: () => own.release(),
  };
}
