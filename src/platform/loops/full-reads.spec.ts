import { expect, it } from 'vitest';
import { FullReads } from './full-reads.js';

const clock = { ms: 0, elapsed: (): number => clock.ms };
const taking = (ms: number) => (): Promise<string> => {
  clock.ms += ms;
  return Promise.resolve('read');
};

it('comes as often as it may be begun, and for no more than its part of the time', async () => {
  const reads = new FullReads(clock, { everyMs: 1_000, oneIn: 20 });
  expect(reads.isTime).toBe(true);
  expect(await reads.read(taking(10))).toBe('read');
  expect([reads.isTime, reads.waitMs, reads.tookMs]).toEqual([false, 990, 10]);
  clock.ms += 990;
  expect(reads.isTime).toBe(true);
  await reads.read(taking(300));
  expect(reads.waitMs).toBe(5_700);
});

it('comes again soon, however long a database that hung let one take', async () => {
  const reads = new FullReads(clock, { everyMs: 0, oneIn: 300 });
  await reads.read(taking(30_000));
  expect(reads.waitMs).toBe(10_000);
});

it('may wait longer, where nobody waits for what it reads', async () => {
  const reads = new FullReads(clock, { everyMs: 60_000, oneIn: 500, mostWaitMs: 600_000 });
  await reads.read(taking(400));
  expect(reads.waitMs).toBe(199_600);
  clock.ms += 200_000;
  await reads.read(taking(30_000));
  expect(reads.waitMs).toBe(600_000);
});

it('one that fails has taken its time as well', async () => {
  const reads = new FullReads(clock, { everyMs: 0, oneIn: 20 });
  const failing = async (): Promise<never> => {
    await taking(500)();
    throw new Error('it was ended');
  };
  await expect(reads.read(failing)).rejects.toThrow('it was ended');
  expect(reads.waitMs).toBe(9_500);
});
