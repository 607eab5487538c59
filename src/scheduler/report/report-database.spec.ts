import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../platform/database/database.js';
import { ReportDatabase } from './report-database.js';

/** A database that answers when the test says so. */
function slow() {
  const answers: ((rows: never[]) => void)[] = [];
  const query = vi.fn((_text?: string) => new Promise<never[]>((resolve) => answers.push(resolve)));
  const database = { query, transaction: () => query() } as unknown as Database;
  return { database, query, answer: () => answers.shift()?.([]) };
}
const turnsOf = (database: Database) => {
  const reports = new ReportDatabase(database, { turns: { most: 2, waiting: 2, waitMs: 50 } });
  const own = reports.for(['shop']);
  return {
    query: own.query.bind(own),
    transaction: own.transaction.bind(own),
    shared: <Result>(key: string, read: (from: Database) => Promise<Result>) =>
      reports.shared(['shop'], key, read),
    get waiting() {
      return reports.waiting;
    },
  };
};

describe('reports', () => {
  it('are read so many at a time; the next begins when one ends, in order', async () => {
    const { database, query, answer } = slow();
    const reports = turnsOf(database);
    const asked = ['a', 'b', 'c'].map((text) => reports.query(text));
    expect([query.mock.calls.length, reports.waiting]).toEqual([2, 1]);
    answer();
    await asked[0];
    expect([query.mock.calls.length, reports.waiting]).toEqual([3, 0]);
    expect(query).toHaveBeenLastCalledWith('c', undefined);
    answer();
    answer();
    await Promise.all(asked);
    const more = [reports.query('d'), reports.transaction(() => Promise.resolve())];
    expect([query.mock.calls.length, reports.waiting]).toEqual([5, 0]);
    answer();
    answer();
    await Promise.all(more);
  });

  it('give the place on where one fails', async () => {
    const query = vi.fn(() => Promise.reject(new Error('away')));
    const reports = turnsOf({ query } as unknown as Database);
    for (let asked = 0; asked < 5; asked += 1) await expect(reports.query('a')).rejects.toThrow('away');
  });

  it('are asked to come again where no turn comes in time, or too many wait', async () => {
    const { database, query, answer } = slow();
    const reports = turnsOf(database);
    const running = [reports.query('a'), reports.query('b')];
    const waiting = [reports.query('c'), reports.query('d')];
    const busy = { status: 503, code: 'REPORTS_BUSY', extras: { retryAfterSeconds: 1 } };
    await expect(reports.query('e')).rejects.toMatchObject(busy);
    for (const one of waiting) await expect(one).rejects.toMatchObject(busy);
    expect([query.mock.calls.length, reports.waiting]).toEqual([2, 0]);
    answer();
    answer();
    await Promise.all(running);
    const next = reports.query('f');
    answer();
    await next;
  });

  it('are read once for all who ask for the same before it has begun; the next once it has ended', async () => {
    const { database, query, answer } = slow();
    const reports = turnsOf(database);
    const ledger = (key: string): Promise<unknown> => reports.shared(key, (sql) => sql.query(key));
    const read = (): unknown[] => query.mock.calls.map(([text]) => text);
    const first = ledger('whole');
    const next = [ledger('whole'), ledger('whole')];
    // They take the other turn from nobody.
    const others = [ledger('other'), ledger('third')];
    expect([read(), reports.waiting]).toEqual([['whole', 'other'], 1]);
    const third = ledger('third');
    answer();
    await first;
    await vi.waitFor(() => expect(read()).toEqual(['whole', 'other', 'third']));
    expect(reports.waiting).toBe(1);
    const joined = ledger('whole');
    answer();
    await others[0];
    await vi.waitFor(() => expect(read()).toEqual(['whole', 'other', 'third', 'whole']));
    const afterwards = ledger('whole');
    answer();
    answer();
    await Promise.all([...next, ...others, third, joined]);
    await vi.waitFor(() => expect(read()).toEqual(['whole', 'other', 'third', 'whole', 'whole']));
    answer();
    await afterwards;
    expect(reports.waiting).toBe(0);
  });

  it('that fail are read again for whoever asked since', async () => {
    const query = vi.fn().mockRejectedValueOnce(new Error('away')).mockResolvedValueOnce([]);
    const reports = turnsOf({ query } as unknown as Database);
    const ledger = (): Promise<unknown> => reports.shared('whole', (sql) => sql.query('whole'));
    const asked = [ledger(), ledger()];
    await expect(asked[0]).rejects.toThrow('away');
    expect(await asked[1]).toEqual([]);
  });

  it('are asked for anew after no turn came', async () => {
    const { database, answer } = slow();
    const reports = turnsOf(database);
    const running = [reports.query('a'), reports.query('b')];
    const ledger = (): Promise<unknown> => reports.shared('whole', (sql) => sql.query('whole'));
    await expect(Promise.all([ledger(), ledger()])).rejects.toMatchObject({ code: 'REPORTS_BUSY' });
    answer();
    answer();
    await Promise.all(running);
    const again = ledger();
    answer();
    await again;
  });
});

describe('reports beside due work', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('rest between their statements, and before the next report, three times as long as the last took', async () => {
    const took = 100;
    const query = vi.fn(() => new Promise<never[]>((resolve) => setTimeout(() => resolve([]), took)));
    const database = { query, transaction: (work: (sql: unknown) => unknown) => work({ query }) };
    const reports = new ReportDatabase(database as unknown as Database, {
      turns: { most: 1, waiting: 1, waitMs: 60_000 },
      restBy: { elapsed: () => performance.now() },
    }).for(['shop']);
    const two = reports.transaction(async (sql) => {
      await sql.query('first');
      await sql.query('second');
    });
    const next = reports.query('third');
    const begunBy = async (ms: number): Promise<number> => {
      await vi.advanceTimersByTimeAsync(ms);
      return query.mock.calls.length;
    };
    expect(await begunBy(399)).toBe(1);
    expect(await begunBy(1)).toBe(2);
    await vi.advanceTimersByTimeAsync(took);
    await two;
    // The whole took 500.
    expect(await begunBy(1_499)).toBe(2);
    expect(await begunBy(1)).toBe(3);
    await vi.advanceTimersByTimeAsync(took);
    await next;
  });
});
