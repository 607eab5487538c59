import { expect, it } from 'vitest';
import type { Sql } from '../../platform/database/database.js';
import { TakeOver } from './take-over.js';

const LEASE_MS = 30_000;

/** A database that finds one lost chunk whenever it is asked for them; it can be away, or hang for a while. */
function stage() {
  let elapsed = 0;
  const clock = {
    now: () => elapsed,
    elapsed: () => elapsed,
    advance: (ms: number): void => void (elapsed += ms),
  };
  const database = { isAway: false, hangsMs: 0 };
  const sql: Sql = {
    query: <Row>(text: string) => {
      clock.advance(database.hangsMs);
      if (database.isAway) return Promise.reject(Object.assign(new Error('away'), { code: 'ECONNREFUSED' }));
      const row = text.includes('from lost') ? { chunks: 1, unknown: 7 } : { now: new Date(clock.now()) };
      return Promise.resolve([row as Row]);
    },
  };
  const takeOver = new TakeOver({ sql, clock, leaseMs: LEASE_MS, held: () => [] });
  return { clock, database, round: async () => (await takeOver.runOnce()).chunks };
}

it('takes lost chunks over at once while the database is there', async () => {
  expect(await stage().round()).toBe(1);
});

it('counts no claim as lost until the length of a lease after the database is back', async () => {
  const { clock, database, round } = stage();
  database.isAway = true;
  await expect(round()).rejects.toThrow('away');
  clock.advance(10 * LEASE_MS);
  database.isAway = false;
  expect(await round()).toBe(0);
  clock.advance(LEASE_MS - 1);
  expect(await round()).toBe(0);
  clock.advance(1);
  expect(await round()).toBe(1);
});

it('counts a database that hung as away', async () => {
  const { clock, database, round } = stage();
  database.hangsMs = LEASE_MS / 2;
  expect(await round()).toBe(0);
  database.hangsMs = 0;
  expect(await round()).toBe(0);
  clock.advance(LEASE_MS);
  expect(await round()).toBe(1);
});
