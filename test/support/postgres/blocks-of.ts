// How many blocks of shared buffers statements touch: what grows with rows grows here, whatever else the machine does.
import type { PooledDatabase } from '../../../src/platform/database/pooled-database.js';
import type { Sql } from '../../../src/platform/database/database.js';
import { OwnConnection } from './own-connection.js';

interface Buffers {
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
}

const RUNS = 3;

/**
 * Of all statements of `work`, those inside functions too. It gets no rows, and runs several times, of which the least
 * counts: the first call on a connection reads the catalogue, and so does any after many others of the cluster changed
 * theirs (600 tables made and dropped beside it: 2 500 to 3 600 blocks).
 */
export async function blocksOf(
  database: PooledDatabase,
  work: (sql: Sql) => Promise<unknown>,
): Promise<number> {
  const own = await OwnConnection.beside(database);
  let blocks = 0;
  const counting: Sql = {
    async query<Row>(text: string, parameters: readonly unknown[] = []): Promise<Row[]> {
      const [row] = await own.query<{ 'QUERY PLAN': readonly [{ readonly Plan: Buffers }] }>(
        `explain (analyze, buffers, timing off, format json) ${text}`,
        parameters,
      );
      const plan = row?.['QUERY PLAN'][0].Plan;
      blocks += (plan?.['Shared Hit Blocks'] ?? NaN) + (plan?.['Shared Read Blocks'] ?? NaN);
      return [];
    },
  };
  try {
    let least = Infinity;
    for (let run = 0; run < RUNS; run += 1) {
      blocks = 0;
      await work(counting);
      least = Math.min(least, blocks);
    }
    return least;
  } finally {
    await own.release();
  }
}
