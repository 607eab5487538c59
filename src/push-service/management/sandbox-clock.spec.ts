// Somebody sets the clock while rounds run that act by the time that it showed when they began.
import { expect, it } from 'vitest';
import { SteppedClock } from '../../platform/clock.js';
import { SandboxClock } from './sandbox-clock.js';

const [THEN, AHEAD, BACK] = [0, 5_000, 1_000];
const frozen = (at: number) => ({ mode: 'frozen', at }) as const;
const nothing = (): Promise<void> => Promise.resolve();

it('is set once the rounds under way have ended, and before the next one begins', async () => {
  const clock = new SandboxClock(new SteppedClock(THEN));
  await clock.set(frozen(AHEAD), nothing);
  let endFirst = (): void => {};
  const ended = new Promise<void>((resolve) => (endFirst = resolve));
  const seen: (string | number)[] = [];
  const first = clock.undisturbed(async () => {
    seen.push('first', clock.now());
    await ended;
    seen.push(clock.now());
  });
  const set = clock.set(frozen(BACK), async (now) => void seen.push('prepared for', now));
  const next = clock.undisturbed(async () => void seen.push('next', clock.now()));
  endFirst();
  await Promise.all([first, set, next]);
  expect(seen).toEqual(['first', AHEAD, AHEAD, 'prepared for', BACK, 'next', BACK]);
});

it('is set one change after the other, and stays where one could not be prepared', async () => {
  const clock = new SandboxClock(new SteppedClock(THEN));
  const broken = clock.set(frozen(AHEAD), () => Promise.reject(new Error('no day')));
  const set = clock.set(frozen(BACK), async (now) => expect([clock.now(), now]).toEqual([THEN, BACK]));
  await expect(broken).rejects.toThrow('no day');
  await set;
  expect(clock.now()).toBe(BACK);
});
