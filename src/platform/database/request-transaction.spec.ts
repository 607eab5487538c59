// A transaction of a request on a database that cannot be reached: its failure is the caller's to handle, and nobody else's.
import { expect, it, onTestFinished } from 'vitest';
import { PooledDatabase } from './pooled-database.js';
import { JoinedDatabase, RequestTransaction } from './request-transaction.js';

it('leaves no rejection that would end the process where it cannot begin', async () => {
  const unhandled: unknown[] = [];
  const notice = (error: unknown): number => unhandled.push(error);
  process.on('unhandledRejection', notice);
  // Nobody listens there.
  const url = 'postgresql://127.0.0.1:1/nowhere';
  const pool = new PooledDatabase({ url, schema: 'x', migrations: [], poolSize: 1, applicationName: 'spec' });
  onTestFinished(async () => {
    process.off('unhandledRejection', notice);
    await pool.destroy();
  });
  const request = new RequestTransaction(() => Promise.resolve());
  const database = new JoinedDatabase(pool);
  const work = request.within(() => database.transaction((sql) => sql.query('select 1')));
  await expect(work).rejects.toMatchObject({ code: '08001' });
  await request.rollBack(new Error('the database is away'));
  await new Promise((resolve) => setImmediate(resolve));
  expect(unhandled).toEqual([]);
});
