// A database whose transactions rest between their statements, by what the last one took: so long, others have the
// processors. A single statement is not held up.
import { Database, type Sql } from '../../platform/database/database.js';
import { restMs, type Rest } from '../../platform/turns.js';

export class RestingDatabase implements Database {
  readonly query: Sql['query'];

  constructor(
    private readonly database: Database,
    private readonly rest: Rest,
  ) {
    this.query = (text, parameters) => database.query(text, parameters);
  }

  transaction<Result>(work: (sql: Sql) => Promise<Result>, begin?: string): Promise<Result> {
    return this.database.transaction((sql) => work(this.#resting(sql)), begin);
  }

  #resting(sql: Sql): Sql {
    let tookMs = 0;
    return {
      query: async <Row>(text: string, parameters?: readonly unknown[]): Promise<Row[]> => {
        const ms = restMs(tookMs, this.rest);
        if (ms > 0) await new Promise((resolve) => setTimeout(resolve, ms));
        const began = this.rest.clock.elapsed();
        try {
          return await sql.query<Row>(text, parameters);
        } finally {
          tookMs = this.rest.clock.elapsed() - began;
        }
      },
    };
  }
}
