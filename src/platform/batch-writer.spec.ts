// Rows that the database will never have are dropped one by one; everything that may pass is waited for as a whole.
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { BatchWriter } from './batch-writer.js';

const failing = (code: string): Error => Object.assign(new Error(`fails with ${code}`), { code });

/** Writes 1, 2, 3 where `fail` says how the n-th statement with these rows fails. */
async function written(fail: (items: readonly number[], nth: number) => Error | undefined) {
  const rows: number[] = [];
  const statements: number[][] = [];
  const writer = new BatchWriter<number>({
    name: 'rows',
    batch: 10,
    log: pino({ level: 'silent' }),
    write: (items) => {
      statements.push([...items]);
      const error = fail(items, statements.length);
      if (error !== undefined) return Promise.reject(error);
      rows.push(...items);
      return Promise.resolve();
    },
  });
  for (const item of [1, 2, 3]) writer.add(item, () => undefined);
  await writer.idle();
  return { rows, statements };
}

it.each(['22P02', '23505', 'P0001', '54000', '42501'])(
  'a row that always fails with %s does not hold up the others',
  async (code) => {
    const { rows } = await written((items, nth) =>
      // Whoever tries for ever fails here, not by a time-out.
      nth > 20 ? undefined : items.includes(2) ? failing(code) : undefined,
    );
    expect(rows).toEqual([1, 3]);
  },
);

it.each(['08006', '57P01', '53300', '40001', '40P01', '25006', '57014', 'ECONNREFUSED'])(
  'a batch that fails with %s is tried again whole',
  async (code) => {
    const { rows, statements } = await written((_, nth) => (nth === 1 ? failing(code) : undefined));
    expect(rows).toEqual([1, 2, 3]);
    expect(statements).toEqual([
      [1, 2, 3],
      [1, 2, 3],
    ]);
  },
);
