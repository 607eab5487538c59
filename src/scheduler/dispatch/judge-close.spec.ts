import { describe, expect, it } from 'vitest';
import { judgeClose } from './judge-close.js';

const MINUTE = 60_000;
const NOW = Date.parse('2027-03-01T00:00:00Z');
const EXPIRE = { maxMs: 30 * MINUTE, beyond: 'expire' } as const;
const TAKEN = { kind: 'taken', requestId: 'r-1', statusName: 'success' } as const;
const closed = (provesMs: number) => ({ kind: 'closed', provesMs }) as const;

describe('what a close means for an uncertain send', () => {
  it.each([
    ['a message was taken', { age: MINUTE }, TAKEN, 'taken'],
    ['a message was taken, however long ago', { age: 40 * 86_400_000 }, TAKEN, 'taken'],
    ['no answer', { age: MINUTE }, { kind: 'unread', detail: 'ECONNRESET' } as const, 'unread'],
    ['nothing was taken', { age: MINUTE }, closed(86_400_000), 'again'],
    [
      'the gateway knows hardly longer than the request is old',
      { age: MINUTE },
      closed(MINUTE + 5_000),
      'again',
    ],
    ['the gateway knows as long as the request is old', { age: MINUTE }, closed(MINUTE + 4_999), 'no-proof'],
    ['its database was restored a moment ago', { age: MINUTE }, closed(0), 'no-proof'],
    ['the key is older than keys are kept', { age: 31 * 86_400_000 }, closed(30 * 86_400_000), 'no-proof'],
    ['it is late, and may be', { age: MINUTE, late: 30 * MINUTE }, closed(86_400_000), 'again'],
    ['it is too late', { age: MINUTE, late: 30 * MINUTE + 1 }, closed(86_400_000), 'too-late'],
    [
      'it is a standing message, which is never late',
      { age: MINUTE, late: null },
      closed(86_400_000),
      'again',
    ],
  ] as const)('%s', (_, { age, ...more }, reading, kind) => {
    const late = 'late' in more ? more.late : 0;
    const send = { dueAt: late === null ? null : NOW - late, handedOffAt: NOW - age };
    expect(judgeClose(send, reading, { now: NOW, lateness: EXPIRE }).kind).toBe(kind);
  });

  it('too late is sent all the same where the policy says so', () => {
    const send = { dueAt: NOW - 86_400_000, handedOffAt: NOW - MINUTE };
    const lateness = { ...EXPIRE, beyond: 'send' } as const;
    expect(judgeClose(send, closed(86_400_000), { now: NOW, lateness }).kind).toBe('again');
  });
});
