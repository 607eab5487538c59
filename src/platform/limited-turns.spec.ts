import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Turns } from './limited-turns.js';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const REST = { times: 3, mostMs: 1_000, clock: { elapsed: () => performance.now() } };
const busy = (): Error => new Error('busy');
const lasting = (ms: number) => (): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

it.each([
  ['three times as long as its work took', 100, 300],
  ['as long at most as it may', 5_000, 1_000],
])('rests before it is given on, %s; who had it is answered at once', async (_text, tookMs, rests) => {
  const turns = new Turns({ most: 1, waiting: 1, waitMs: 60_000, rest: REST }, busy);
  let first = false;
  let second = false;
  void turns.take(lasting(tookMs)).then(() => (first = true));
  void turns.take(async () => void (second = true));
  await vi.advanceTimersByTimeAsync(tookMs);
  expect([first, second]).toEqual([true, false]);
  await vi.advanceTimersByTimeAsync(rests - 1);
  expect(second).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  expect(second).toBe(true);
});

it('rests where the work fails, too, and is free for whoever comes after the rest', async () => {
  const turns = new Turns({ most: 1, waiting: 0, waitMs: 60_000, rest: REST }, busy);
  const failing = turns.take(async () => {
    await lasting(10)();
    throw new Error('away');
  });
  const told = vi.fn();
  failing.catch(told);
  await vi.advanceTimersByTimeAsync(10);
  expect(told).toHaveBeenCalledWith(new Error('away'));
  await expect(turns.take(async () => undefined)).rejects.toThrow('busy');
  await vi.advanceTimersByTimeAsync(30);
  expect(turns.isIdle).toBe(true);
  expect(await turns.take(async () => 'answered')).toBe('answered');
});

it('rests not at all where nothing is said', async () => {
  const turns = new Turns({ most: 1, waiting: 0, waitMs: 1 }, busy);
  await turns.take(async () => undefined);
  expect(turns.isIdle).toBe(true);
});
