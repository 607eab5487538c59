import { expect, it } from 'vitest';
import type { PushAnswer } from '../push-api.js';
import { readClose } from './read-close.js';

const answered = (status: number, body: unknown): PushAnswer => ({
  kind: 'answered',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const TAKEN = { key: 'k', keyStatus: 'taken', requestId: 'r-1', statusName: 'reserved', provesSeconds: 5 };

it.each([
  ['a message', answered(200, TAKEN), { kind: 'taken', requestId: 'r-1', statusName: 'reserved' }],
  [
    'a closed key',
    answered(200, { keyStatus: 'closed', provesSeconds: 7 }),
    { kind: 'closed', provesMs: 7_000 },
  ],
  ['a closed key that proves nothing to us', answered(200, { keyStatus: 'closed' }), { kind: 'unread' }],
  ['a message without an id', answered(200, { ...TAKEN, requestId: null }), { kind: 'unread' }],
  ['a status nobody knows', answered(200, { ...TAKEN, keyStatus: 'open' }), { kind: 'unread' }],
  ['another status', answered(404, TAKEN), { kind: 'unread' }],
  ['no JSON', answered(200, '<html>'), { kind: 'unread' }],
  [
    'no answer',
    { kind: 'unanswered', started: true, error: 'ECONNRESET', timedOut: false } as const,
    { kind: 'unread' },
  ],
])('an answer to a close: %s', (_, answer, expected) => {
  expect(readClose(answer)).toMatchObject(expected);
});
