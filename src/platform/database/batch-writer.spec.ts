// The owner gets rows that the database refuses for ever, one by one. For every error that may pass, the whole batch waits.
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BatchWriter } from './batch-writer.js';

const failing = (code: string): Error => Object.assign(new Error(`fails with ${code}`), { code });

function writerOf(
  write: (items: readonly number[]) => Promise<void>,
  refused: (item: number, error: unknown) => Promise<void> = () => Promise.resolve(),
  log = pino({ level: 'silent' }),
): BatchWriter<number> {
  return new BatchWriter({ name: 'rows', batch: 10, log, write, refused });
}

/** Writes 1, 2, 3 where `fail` says how the n-th statement with these rows fails. */
async function written(fail: (items: readonly number[], nth: number) => Error | undefined) {
  const rows: number[] = [];
  const statements: number[][] = [];
  const writer = writerOf((items) => {
    statements.push([...items]);
    const error = fail(items, statements.length);
    if (error !== undefined) return Promise.reject(error);
    rows.push(...items);
    return Promise.resolve();
  });
  for (const item of [1, 2, 3]) writer.add(item, () => undefined);
  await writer.idle();
  return { rows, statements };
}

it.each(['22P02', '23505', 'P0001', '54000'])(
  'a row that always fails with %s does not hold up the others',
  async (code) => {
    const { rows } = await written((items, nth) =>
      // A writer that retries without end fails here, not by a time-out.
      nth > 20 ? undefined : items.includes(2) ? failing(code) : undefined,
    );
    expect(rows).toEqual([1, 3]);
  },
);

// Class 42: a function or column that an upgrade removed, a right withdrawn.
it.each([
  '08006',
  '57P01',
  '53300',
  '40001',
  '40P01',
  '25006',
  '57014',
  'ECONNREFUSED',
  '42883',
  '42703',
  '42501',
])('a batch that fails with %s is tried again whole', async (code) => {
  const { rows, statements } = await written((_, nth) => (nth === 1 ? failing(code) : undefined));
  expect(rows).toEqual([1, 2, 3]);
  expect(statements).toEqual([
    [1, 2, 3],
    [1, 2, 3],
  ]);
});

it('gives a row that cannot be written to refused(), once and alone, and waits while that fails', async () => {
  const asked: [number, unknown][] = [];
  const kept: number[] = [];
  const refusal = failing('22003');
  const writer = writerOf(
    (items) => (items.includes(2) ? Promise.reject(refusal) : Promise.resolve()),
    (item, error) => {
      asked.push([item, error]);
      if (asked.length === 1) return Promise.reject(failing('42P01'));
      kept.push(item);
      return Promise.resolve();
    },
  );
  const done: number[] = [];
  for (const item of [1, 2, 3]) writer.add(item, () => done.push(item));
  await writer.idle();
  expect(asked).toEqual([
    [2, refusal],
    [2, refusal],
  ]);
  expect(kept).toEqual([2]);
  expect(done).toEqual([1, 2, 3]);
});

it('says in no log line what was to be written', async () => {
  const lines: string[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(line) });
  const quoting = Object.assign(new Error('invalid input syntax: "7654321"'), { code: '22P02' });
  const writer = writerOf(
    () => Promise.reject(quoting),
    () => Promise.reject(quoting),
    log,
  );
  await new Promise<void>((aside) => writer.add(7_654_321, () => undefined, 0, aside));
  expect(lines.join('')).toContain('can neither be written nor stored as refused');
  expect(lines.join('')).not.toContain('7654321');
});

describe('a row that can neither be written nor stored as refused', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('is held until it is stored, tried on at growing gaps, and holds up no other', async () => {
    let isBroken = true;
    const tries: number[] = [];
    const rows: number[] = [];
    const writer = writerOf(
      (items) => {
        if (!items.includes(2)) return Promise.resolve(void rows.push(...items));
        tries.push(performance.now());
        return Promise.reject(failing('XX002'));
      },
      (item) => (isBroken ? Promise.reject(failing('XX001')) : Promise.resolve(void rows.push(item))),
    );
    const done: number[] = [];
    let aside = 0;
    for (const item of [1, 2, 3])
      writer.add(
        item,
        () => done.push(item),
        0,
        () => (aside += 1),
      );
    await vi.advanceTimersByTimeAsync(0);
    expect([rows, done, aside]).toEqual([[1, 3], [1, 3], 1]);
    const first = tries.length;
    let isIdle = false;
    const idle = writer.idle().then(() => (isIdle = true));
    await vi.advanceTimersByTimeAsync(600_000);
    const gaps = tries.slice(first).map((at, index) => Math.round(at - (tries[first + index - 1] ?? 0)));
    expect(gaps.slice(0, 8)).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect([rows, done, isIdle, aside]).toEqual([[1, 3], [1, 3], false, 1]);
    writer.add(4, () => done.push(4));
    await vi.advanceTimersByTimeAsync(0);
    expect(done).toEqual([1, 3, 4]);
    isBroken = false;
    await vi.advanceTimersByTimeAsync(60_000);
    await idle;
    expect([rows, done]).toEqual([
      [1, 3, 4, 2],
      [1, 3, 4, 2],
    ]);
  });
});

describe('a row that may wait for others', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const statements: number[][] = [];
  const nothing = (): void => undefined;
  const writer = writerOf((items) => Promise.resolve(void statements.push([...items])));
  beforeEach(() => void (statements.length = 0));

  it('goes with all that came in its time', async () => {
    writer.add(1, nothing, 15);
    await vi.advanceTimersByTimeAsync(14);
    writer.add(2, nothing, 15);
    expect(statements).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(statements).toEqual([[1, 2]]);
  });

  it('goes at once with one that may not, with a whole batch, and when the writer is to end', async () => {
    const ends: (() => unknown)[] = [
      () => writer.add(2, nothing),
      () => [2, 3, 4, 5, 6, 7, 8, 9, 10].forEach((item) => writer.add(item, nothing, 15)),
      () => writer.idle(),
    ];
    for (const end of ends) {
      writer.add(1, nothing, 15);
      await vi.advanceTimersByTimeAsync(1);
      await end();
      expect(vi.getTimerCount()).toBe(0);
      await vi.advanceTimersByTimeAsync(0);
    }
    expect(statements).toEqual([[1, 2], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10], [1]]);
  });
});
