import { describe, expect, it } from 'vitest';
import { MESSAGE_STATUS_CODES } from '../../../push-contract/statuses.js';
import type { PushAnswer } from '../push-api.js';
import { readResult } from './read-result.js';

const answered = (status: number, body: unknown): PushAnswer => ({
  kind: 'answered',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
/** A final result of two devices, both taken. */
const aResult = (overrides: Readonly<Record<string, unknown>> = {}): PushAnswer =>
  answered(200, {
    requestId: 'r-1',
    statusCode: '202',
    statusName: 'success',
    messageStatusCode: '200',
    messageStatusName: 'success',
    completeTime: '2027-03-01T09:00:00.000',
    targetCount: 2,
    sentCount: 2,
    ...overrides,
  });
const brief = (overrides: Readonly<Record<string, unknown>>): string => {
  const read = readResult(aResult(overrides));
  return read.kind === 'final' ? `${read.observation} ${read.code ?? '-'}` : read.kind;
};

describe('a result (push-interface.md §2.6)', () => {
  it('is read with its counts and when it was complete', () => {
    expect(readResult(aResult())).toEqual({
      kind: 'final',
      observation: 'result-sent',
      code: null,
      status: 'success 200',
      completeTime: '2027-03-01T09:00:00.000',
      targetCount: 2,
      sentCount: 2,
    });
  });

  it.each([
    ['processing', { messageStatusName: 'processing', messageStatusCode: null }, 'processing'],
    ['of a name that nobody listed', { messageStatusName: 'brand-new' }, 'brand-new 200'],
    ['without a name', { messageStatusName: null, messageStatusCode: null }, 'none'],
    ['of a name in other letters', { messageStatusName: 'SUCCESS' }, 'SUCCESS 200'],
  ])('that is %s is pending, whatever its counts', (_what, overrides, status) => {
    expect(readResult(aResult(overrides))).toEqual({ kind: 'pending', status, targetCount: 2, sentCount: 2 });
  });

  it('of a request that failed is final, with or without a status of the message', () => {
    for (const failed of [{ statusName: 'fail' }, { statusCode: '400' }, { statusCode: 400 }]) {
      const none = { messageStatusName: null, messageStatusCode: null };
      expect(brief({ ...failed, sentCount: 0 })).toBe('result-failed RESULT_FAILED');
      expect(brief({ ...failed, ...none, sentCount: 0 })).toBe('result-failed RESULT_FAILED');
    }
    expect(brief({ statusCode: null })).toBe('result-sent -');
  });
});

// life-of-a-send.md, "Send: states": sent means that the provider took at least one device, empty that nobody was there.
describe('the observation of a final result', () => {
  const byCode: Readonly<Record<(typeof MESSAGE_STATUS_CODES)[number], [targets: string, none: string]>> = {
    '200': ['result-failed RESULT_FAILED', 'result-empty -'],
    '404': ['result-failed RESULT_FAILED', 'result-empty -'],
    '499': ['schedule-ended RESULT_CANCELED', 'schedule-ended RESULT_CANCELED'],
    '500': ['result-failed RESULT_FAILED', 'result-failed RESULT_FAILED'],
    '504': ['result-failed RESULT_STALE', 'result-failed RESULT_STALE'],
  };
  it.each(MESSAGE_STATUS_CODES)('of a fail %s', (messageStatusCode) => {
    const fail = { messageStatusName: 'fail', messageStatusCode, sentCount: 0 };
    expect([brief({ ...fail, targetCount: 5 }), brief({ ...fail, targetCount: 0 })]).toEqual(
      byCode[messageStatusCode],
    );
    expect(brief({ ...fail, messageStatusCode: Number(messageStatusCode), targetCount: 5 })).toBe(
      byCode[messageStatusCode][0],
    );
    expect(brief({ ...fail, sentCount: 1, targetCount: 5 })).toBe('result-sent -');
  });

  it.each([
    ['a success that counts no targets', { targetCount: 0, sentCount: 0 }, 'result-empty -'],
    ['a success that took none of its targets', { targetCount: 5, sentCount: 0 }, 'result-sent -'],
    ['a success that counts nothing', { targetCount: null, sentCount: null }, 'result-sent -'],
    [
      'a fail of a code that nobody listed',
      { messageStatusName: 'fail', messageStatusCode: '777', sentCount: 0 },
      'result-failed RESULT_FAILED',
    ],
    [
      'a fail without a code and without targets',
      { messageStatusName: 'fail', messageStatusCode: null, targetCount: 0, sentCount: 0 },
      'result-empty -',
    ],
  ])('of %s', (_what, overrides, expected) => {
    expect(brief(overrides)).toBe(expected);
  });
});

describe('the counts of a result', () => {
  it.each([
    [0, 0],
    [2 ** 31 - 1, 2 ** 31 - 1],
    [2 ** 31, null],
    [-1, null],
    [1.5, null],
    ['3', null],
    [undefined, null],
  ])('%o is %o', (given, count) => {
    expect(readResult(aResult({ targetCount: given }))).toMatchObject({ targetCount: count });
    expect(readResult(aResult({ sentCount: given }))).toMatchObject({ sentCount: count });
  });
});

describe('an answer without a result', () => {
  it.each<[string, PushAnswer, string]>([
    [
      'no answer',
      { kind: 'unanswered', started: true, error: 'CALL_TIMEOUT', timedOut: true },
      'CALL_TIMEOUT',
    ],
    ['another status', answered(202, {}), '202 {}'],
    ['an error', answered(404, 'nobody knows it'), '404 nobody knows it'],
    ['no JSON', answered(200, '<ok/>'), '200 <ok/>'],
    ['a list', answered(200, []), '200 []'],
    ['null', answered(200, 'null'), '200 null'],
    ['a text', answered(200, '"success"'), '200 "success"'],
  ])('is not read: %s', (_what, answer, detail) => {
    expect(readResult(answer)).toEqual({ kind: 'unread', detail });
  });
});
