import { describe, expect, it } from 'vitest';
import { answerRow, type CallFacts } from './answer-row.js';
import type { NotSentCause } from '../push-client/answers/error-meanings.js';

const NOW = Date.parse('2027-03-01T00:00:00Z');
const call: CallFacts = {
  id: 'send',
  attempt: 1,
  mode: 'immediate',
  dueAt: NOW,
  until: null,
  answeredAt: NOW,
  random: 0,
};

describe('a send that was not sent is tried again', () => {
  it.each<[NotSentCause, number | undefined, number]>([
    ['not-started', undefined, 500],
    ['endpoint', undefined, 500],
    ['endpoint', 20_000, 20_000],
    // Five minutes at most: if it waited out days of maintenance, lateness and deadline would be judged too late.
    ['endpoint', 999_999_000, 300_000],
    // The project is blocked for it, until an operator starts it.
    ['throttled', 20_000, 500],
    ['quota', 999_999_000, 500],
    ['key-again', undefined, 0],
  ])('after %s with Retry-After %s', (cause, retryAfterMs, waits) => {
    const outcome = {
      kind: 'not-sent' as const,
      cause,
      code: 'CODE',
      detail: 'words',
      ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    };
    const answer = { kind: 'unanswered' as const, started: false, error: 'CODE', timedOut: false };
    expect(answerRow(call, answer, outcome)).toMatchObject({ state: 'planned', nextAt: NOW + waits });
  });
});
