// When a loop runs its rounds: at once when woken, and no sooner than its gap after a round that did something.
import { pino } from 'pino';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { RunLoop } from './run-loop.js';

let rounds = 0;
let loop: RunLoop;

function start(gapMs?: number): void {
  loop = new RunLoop({
    name: 'spec',
    // The first does something, as does every one that was woken for.
    runOnce: () => Promise.resolve((rounds += 1) % 2),
    idleMs: 1_000,
    ...(gapMs !== undefined && { gapMs }),
    log: pino({ level: 'silent' }),
  });
  loop.start();
}

beforeEach(() => {
  rounds = 0;
  vi.useFakeTimers();
});

afterEach(async () => {
  await loop.stop();
  vi.useRealTimers();
});

it('goes on at once after a round that did something, and rests after one that did not until it is woken', async () => {
  start();
  await vi.advanceTimersByTimeAsync(0);
  expect(rounds).toBe(2);
  loop.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(rounds).toBe(4);
  await vi.advanceTimersByTimeAsync(1_000);
  expect(rounds).toBe(6);
});

it('does together what it is woken for within the gap', async () => {
  start(20);
  await vi.advanceTimersByTimeAsync(0);
  expect(rounds).toBe(1);
  for (let wake = 0; wake < 100; wake += 1) loop.wake();
  await vi.advanceTimersByTimeAsync(19);
  expect(rounds).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(rounds).toBe(2);
  // Its rest is cut short as ever.
  loop.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(rounds).toBe(3);
});

it('ends within its gap when it is stopped', async () => {
  start(60_000);
  await vi.advanceTimersByTimeAsync(0);
  await loop.stop();
  expect(rounds).toBe(1);
});

it('rests for as long as is said after each round', async () => {
  let rest = 1_000;
  loop = new RunLoop({
    name: 'spec',
    runOnce: () => Promise.resolve(((rounds += 1), 0)),
    idleMs: () => rest,
    log: pino({ level: 'silent' }),
  });
  loop.start();
  await vi.advanceTimersByTimeAsync(999);
  expect(rounds).toBe(1);
  rest = 50;
  await vi.advanceTimersByTimeAsync(1);
  expect(rounds).toBe(2);
  await vi.advanceTimersByTimeAsync(50);
  expect(rounds).toBe(3);
});

it('is woken out of its rest by wakeResting(), but not out of its gap nor of the rest after a failure', async () => {
  start(20);
  await vi.advanceTimersByTimeAsync(0);
  loop.wakeResting();
  await vi.advanceTimersByTimeAsync(19);
  expect(rounds).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(rounds).toBe(2);
  loop.wakeResting();
  await vi.advanceTimersByTimeAsync(0);
  expect(rounds).toBe(3);
  await loop.stop();

  rounds = 0;
  loop = new RunLoop({
    name: 'spec',
    runOnce: () => Promise.reject(new Error(`round ${(rounds += 1)}`)),
    idleMs: 1_000,
    log: pino({ level: 'silent' }),
  });
  loop.start();
  await vi.advanceTimersByTimeAsync(0);
  loop.wakeResting();
  await vi.advanceTimersByTimeAsync(74);
  expect(rounds).toBe(1);
  loop.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(rounds).toBe(2);
});
