import { expect, it } from 'vitest';
import { nextStepOf } from './next-step.ts';

it.each([
  [{ state: 'uncertain', code: 'ANSWER_TIMEOUT', retryable: false }, 'next.resolve'],
  [{ state: 'stale', code: 'RESERVATION_STALE', retryable: true }, 'next.retry'],
  [{ state: 'rejected', code: 'PERMISSION_DENIED', retryable: true }, 'next.mendKey'],
  [{ state: 'rejected', code: 'REFUSED_4031', retryable: true }, 'next.mendRequest'],
  [{ state: 'expired', code: 'UNTIL_REACHED', retryable: false }, 'next.none'],
] as const)('%o is helped by %s', (group, step) => {
  expect(nextStepOf(group)).toBe(step);
});
