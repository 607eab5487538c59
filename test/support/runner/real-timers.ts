// Loaded before each spec that shares a process: fake timers that one leaves would stand still for all after it.
import { afterAll, vi } from 'vitest';

afterAll(() => {
  if (!vi.isFakeTimers()) return;
  vi.useRealTimers();
  throw new Error('this spec leaves fake timers to the next: add afterEach(() => vi.useRealTimers())');
});
