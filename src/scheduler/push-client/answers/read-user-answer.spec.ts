import { describe, expect, it } from 'vitest';
import type { PushAnswer } from '../push-api.js';
import { readCensusAnswer, readTimezonesOfAnswer, readUserAnswer } from './read-user-answer.js';

const answered = (status: number, body: unknown, more: { retryAfterMs?: number } = {}): PushAnswer => ({
  kind: 'answered',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...more,
});
const error = (errorCode: string | number) => ({ error: { errorCode, message: 'x' } });
const lost: PushAnswer = { kind: 'unanswered', started: true, error: 'ECONNRESET', timedOut: false };

describe('an answer to GET users/{userId}', () => {
  it.each([
    ['an offset', answered(200, { userId: 'u', timezone: -18_000 }), -18_000],
    ['UTC', answered(200, { timezone: 0 }), 0],
    ['a user without an offset', answered(200, { userId: 'u' }), null],
    ['an offset that is none', answered(200, { timezone: 90_000 }), null],
    ['nobody', answered(404, error('300')), null],
    ['an id that no user can have', answered(400, error('100')), null],
  ])('is %s', (name, answer, offsetSeconds) => {
    const isUser = !['nobody', 'an id that no user can have'].includes(name);
    expect(readUserAnswer(answer)).toEqual({ kind: 'known', isUser, offsetSeconds });
  });

  it.each([
    ['lost', lost],
    ['a 404 of something before the gateway', answered(404, '<html>not found</html>')],
    ['a 404 with another code', answered(404, error('210'))],
    ['a 500', answered(500, error('900'))],
    ['a refused key', answered(401, error('200'))],
    ['a 429', answered(429, error('420'), { retryAfterMs: 2_000 })],
    ['a 429', answered(429, error('420'), { retryAfterMs: 2_000 })],
    ['no JSON', answered(200, '<html>')],
    ['another thing', answered(200, [])],
  ])('is not kept if it is %s', (_, answer) => {
    expect(readUserAnswer(answer)).toEqual({ kind: 'failed' });
  });
});

describe('an answer to POST timezones', () => {
  it('has the offsets of the users that exist', () => {
    const body = [
      { userId: 'anna', timezone: -18_000 },
      { userId: 'ben', timezone: 0 },
    ];
    expect(readTimezonesOfAnswer(answered(200, body))).toEqual({
      kind: 'known',
      offsets: new Map([
        ['anna', -18_000],
        ['ben', 0],
      ]),
    });
  });

  it.each([
    ['refused for one of its ids', 'refused', answered(400, error('100'))],
    ['of a gateway without the extension', 'refused', answered(404, error('300'))],
    ['lost', 'failed', lost],
    ['a 500', 'failed', answered(500, error('900'))],
    ['another thing', 'failed', answered(200, { anna: 0 })],
    ['an offset that is none', 'failed', answered(200, [{ userId: 'anna', timezone: 90_000 }])],
  ])('says nothing about any user if it is %s', (_, kind, answer) => {
    expect(readTimezonesOfAnswer(answer)).toEqual({ kind });
  });
});

describe('an answer to GET timezones', () => {
  it('has the offsets that users have', () => {
    const body = [
      { timezone: 0, users: 2, devices: 3 },
      { timezone: 3_600, users: 0, devices: 0 },
    ];
    expect(readCensusAnswer(answered(200, body))).toEqual({
      kind: 'known',
      offsets: [{ offsetSeconds: 0, users: 2 }],
    });
  });

  it.each([
    ['lost', lost],
    ['another thing', answered(200, { timezone: 0 })],
    ['an offset that is none', answered(200, [{ timezone: 90_000, users: 1 }])],
    ['not there', answered(404, error('300'))],
  ])('is a failure if it is %s', (_, answer) => {
    expect(readCensusAnswer(answer)).toEqual({ kind: 'failed' });
  });
});
