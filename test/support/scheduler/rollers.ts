// Rollers for specs of whatever is read from rollups: one page, all that there is, and a process that dies in between.
import type { Database, Sql } from '../../../src/platform/database/database.js';
import { LogReader, type LogReaderDeps } from '../../../src/scheduler/outcomes/log/log-reader.js';
import { RollUp } from '../../../src/scheduler/outcomes/rollup/roll-up.js';

type Transactions = Pick<Database, 'transaction'>;

export interface RollerDeps extends LogReaderDeps {
  readonly breakdownFrom?: number;
}

export function rollerOf(database: Transactions, deps: Partial<RollerDeps> = {}): LogReader {
  return new LogReader(new RollUp(deps.breakdownFrom), {
    inTransaction: (work) => database.transaction(work),
    ...deps,
  });
}

/** Page after page, until nothing is left. */
export async function rollUpAll(database: Transactions, deps: Partial<RollerDeps> = {}): Promise<void> {
  const roller = rollerOf(database, deps);
  while ((await roller.runOnce()) > 0);
}

/** Transactions of a process that dies before the nth statement of one. */
export function dyingAt(database: Transactions, statement: number): RollerDeps['inTransaction'] {
  return (work) =>
    database.transaction((sql) => {
      let asked = 0;
      const query: Sql['query'] = (text, parameters) => {
        asked += 1;
        if (asked === statement) throw new Error('the process died');
        return sql.query(text, parameters);
      };
      return work({ query });
    });
}
