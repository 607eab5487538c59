// Every row of FCM's answers, and what each asks for beside the device's outcome.
import { describe, expect, it } from 'vitest';
import type { Answer, AnswerFacts, JudgedAnswer } from '../over-http2/judged-answer.js';
import { judgeFcmAnswer } from './fcm-answer.js';

const NOW = Date.parse('2027-03-01T00:00:00Z');
const FACTS: AnswerFacts = { isProven: true, mayRemove: true, now: NOW };
const SENT: JudgedAnswer = { outcome: { kind: 'sent' }, pace: 'taken' };
const FCM_ERROR = 'type.googleapis.com/google.firebase.fcm.v1.FcmError';

function answer(status: number, error?: object | string, headers: Answer['headers'] = {}): Answer {
  const body = typeof error === 'string' ? error : JSON.stringify(error === undefined ? {} : { error });
  return { status, headers, body };
}

const withCode = (status: string, errorCode: string, ...details: object[]): object => ({
  status,
  details: [{ '@type': FCM_ERROR, errorCode }, ...details],
});
const aboutToken = { fieldViolations: [{ field: 'message.token', description: 'not a token' }] };
const quotaOf = (subject: string): object => ({ violations: [{ subject, description: 'rate' }] });
const INVALID = 'INVALID_ARGUMENT';
const QUOTA = 'QUOTA_EXCEEDED';
const after = (value: string): Answer['headers'] => ({ 'retry-after': value });

describe('an answer of FCM', () => {
  it.each<[string, Answer, Partial<AnswerFacts>, JudgedAnswer]>([
    ['200', answer(200), {}, SENT],
    [
      '404 UNREGISTERED',
      answer(404, withCode('NOT_FOUND', 'UNREGISTERED')),
      { mayRemove: false },
      { outcome: { kind: 'gone', reason: 'UNREGISTERED' }, pace: 'none' },
    ],
    [
      '400 about the token in its message alone, as it answers today',
      answer(400, {
        ...withCode(INVALID, INVALID),
        message: 'The registration token is not a valid FCM registration token',
      }),
      {},
      { outcome: { kind: 'gone', reason: INVALID }, pace: 'none', isAboutToken: true },
    ],
    [
      'a word that cannot be recorded',
      answer(400, { status: 'a\u0000b' }),
      {},
      { outcome: { kind: 'failed', reason: 'HTTP_400' }, pace: 'none' },
    ],
    [
      '400 about the token, with guard',
      answer(400, withCode(INVALID, INVALID, aboutToken)),
      {},
      { outcome: { kind: 'gone', reason: INVALID }, pace: 'none', isAboutToken: true },
    ],
    [
      '400 about the token, without',
      answer(400, withCode(INVALID, INVALID, aboutToken)),
      { mayRemove: false },
      { outcome: { kind: 'failed', reason: INVALID }, pace: 'none', isAboutToken: true },
    ],
    [
      '400 about the token, without FCM’s own code',
      answer(400, { status: INVALID, details: [aboutToken] }),
      {},
      { outcome: { kind: 'gone', reason: INVALID }, pace: 'none', isAboutToken: true },
    ],
    [
      '400 otherwise',
      answer(400, withCode(INVALID, INVALID, { fieldViolations: [{ field: 'message.data' }] })),
      {},
      { outcome: { kind: 'failed', reason: INVALID }, pace: 'none', isAboutMessage: true },
    ],
    [
      '400 UNSPECIFIED_ERROR',
      answer(400, withCode(INVALID, 'UNSPECIFIED_ERROR', aboutToken)),
      {},
      { outcome: { kind: 'failed', reason: 'UNSPECIFIED_ERROR' }, pace: 'none' },
    ],
    [
      '403 SENDER_ID_MISMATCH',
      answer(403, withCode('PERMISSION_DENIED', 'SENDER_ID_MISMATCH')),
      {},
      { outcome: { kind: 'failed', reason: 'SENDER_ID_MISMATCH' }, pace: 'none', warns: true },
    ],
    [
      '401 THIRD_PARTY_AUTH_ERROR',
      answer(401, withCode('UNAUTHENTICATED', 'THIRD_PARTY_AUTH_ERROR')),
      {},
      { outcome: { kind: 'failed', reason: 'THIRD_PARTY_AUTH_ERROR' }, pace: 'none', warns: true },
    ],
    [
      '401 otherwise',
      answer(401, { status: 'UNAUTHENTICATED' }),
      {},
      { outcome: { kind: 'credential', reason: 'UNAUTHENTICATED' }, pace: 'none', again: 'newToken' },
    ],
    [
      '403 PERMISSION_DENIED',
      answer(403, { status: 'PERMISSION_DENIED' }),
      {},
      { outcome: { kind: 'credential', reason: 'PERMISSION_DENIED' }, pace: 'none' },
    ],
    [
      '404 without errorCode',
      answer(404, { status: 'NOT_FOUND' }),
      {},
      { outcome: { kind: 'credential', reason: 'NOT_FOUND' }, pace: 'none' },
    ],
    [
      '429 of the device',
      answer(429, withCode('RESOURCE_EXHAUSTED', QUOTA, quotaOf('device:abc'))),
      {},
      {
        outcome: { kind: 'retry', reason: QUOTA, afterMs: 60_000 },
        pace: 'none',
        isDeviceLimited: true,
        backsOff: true,
      },
    ],
    [
      '429 of the project',
      answer(429, withCode('RESOURCE_EXHAUSTED', QUOTA, quotaOf('project:shop'))),
      {},
      {
        outcome: { kind: 'retry', reason: QUOTA, afterMs: 60_000 },
        pace: 'limited',
        pauseMs: 60_000,
        backsOff: true,
      },
    ],
    [
      '429 with Retry-After in seconds',
      answer(429, withCode('RESOURCE_EXHAUSTED', QUOTA), after('7')),
      {},
      { outcome: { kind: 'retry', reason: QUOTA, afterMs: 7_000 }, pace: 'limited', pauseMs: 7_000 },
    ],
    [
      '429 with Retry-After as a date',
      answer(429, withCode('RESOURCE_EXHAUSTED', QUOTA), after('Mon, 01 Mar 2027 00:00:20 GMT')),
      {},
      { outcome: { kind: 'retry', reason: QUOTA, afterMs: 20_000 }, pace: 'limited', pauseMs: 20_000 },
    ],
    [
      '429 with a Retry-After of a day',
      answer(429, withCode('RESOURCE_EXHAUSTED', QUOTA), after('86400')),
      {},
      { outcome: { kind: 'retry', reason: QUOTA, afterMs: 600_000 }, pace: 'limited', pauseMs: 600_000 },
    ],
    [
      '500 INTERNAL',
      answer(500, withCode('INTERNAL', 'INTERNAL')),
      {},
      { outcome: { kind: 'retry', reason: 'INTERNAL', afterMs: 0 }, pace: 'busy' },
    ],
    [
      '503 UNAVAILABLE with Retry-After',
      answer(503, withCode('UNAVAILABLE', 'UNAVAILABLE'), after('30')),
      {},
      { outcome: { kind: 'retry', reason: 'UNAVAILABLE', afterMs: 30_000 }, pace: 'busy' },
    ],
    ...[502, 504].map((status): [string, Answer, Partial<AnswerFacts>, JudgedAnswer] => [
      `${status} as HTML`,
      answer(status, '<html>Bad gateway</html>'),
      {},
      { outcome: { kind: 'retry', reason: `HTTP_${status}`, afterMs: 0 }, pace: 'busy' },
    ]),
    ['418', answer(418), {}, { outcome: { kind: 'failed', reason: 'HTTP_418' }, pace: 'none' }],
    ['599', answer(599), {}, { outcome: { kind: 'retry', reason: 'HTTP_599', afterMs: 0 }, pace: 'busy' }],
  ])('%s', (_name, given, facts, verdict) => {
    expect(judgeFcmAnswer(given, { ...FACTS, ...facts })).toEqual(verdict);
  });

  it.each([
    'null',
    '[]',
    '"text"',
    '{"error":null}',
    '{"error":{"details":{"x":1}}}',
    '{"error":{"details":[null,7]}}',
  ])('is read whatever stands in it: %s', (body) => {
    expect(judgeFcmAnswer({ status: 400, headers: {}, body }, FACTS)).toEqual({
      outcome: { kind: 'failed', reason: 'HTTP_400' },
      pace: 'none',
    });
  });
});
