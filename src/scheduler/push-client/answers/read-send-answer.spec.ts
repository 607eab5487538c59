import { describe, expect, it } from 'vitest';
import { PUSH_ERRORS } from '../../../push-contract/errors.js';
import { MODES } from '../../decide/timing/send-mode.js';
import type { Answered } from '../push-api.js';
import { readSendAnswer } from './read-send-answer.js';

const answered = (status: number, body: unknown, rest: Partial<Answered> = {}): Answered => ({
  kind: 'answered',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...rest,
});
const error = (status: number, errorCode: string, rest: Partial<Answered> = {}) =>
  answered(status, { error: { errorCode, message: 'as it says' } }, rest);
const taken = (statusName: string) =>
  answered(202, { requestId: 'r-1', requestTime: '2027-03-01T09:00:00.000', statusCode: '202', statusName });

/** An outcome in one or two words. */
const brief = (
  answer: Parameters<typeof readSendAnswer>[0],
  mode: Parameters<typeof readSendAnswer>[1] = 'immediate',
) => {
  const outcome = readSendAnswer(answer, mode);
  if (outcome.kind === 'taken') return `taken ${outcome.observation}`;
  if (outcome.kind === 'not-sent') return `not-sent ${outcome.cause} ${outcome.code}`;
  return `${outcome.kind} ${outcome.code}`;
};

describe('what an answer to a send means', () => {
  it.each([
    ['immediate', 'success', 'answered-success'],
    ['reserved', 'reserved', 'answered-reserved'],
    ['scheduled', 'scheduled', 'answered-scheduled'],
  ] as const)('takes 202 for a send that is %s when it says %s', (mode, statusName, observation) => {
    expect(readSendAnswer(taken(statusName), mode)).toEqual({
      kind: 'taken',
      observation,
      requestId: 'r-1',
      gatewayStatus: statusName,
    });
  });

  it('leaves a send uncertain, with its requestId, if the answer has another status than was asked for', () => {
    for (const mode of MODES) {
      for (const statusName of ['success', 'reserved', 'scheduled', 'brand-new']) {
        const outcome = readSendAnswer(taken(statusName), mode);
        const asked = { immediate: 'success', reserved: 'reserved', scheduled: 'scheduled' }[mode];
        if (statusName === asked) continue;
        expect(outcome).toMatchObject({ kind: 'unknown', code: 'UNEXPECTED_ANSWER', requestId: 'r-1' });
      }
    }
  });

  it.each([
    ['202 with statusName fail', taken('fail'), 'refused FAIL_ANSWER'],
    ['2xx without a requestId', answered(202, { statusName: 'success' }), 'unknown NO_REQUEST_ID'],
    [
      '2xx with an unusable requestId',
      answered(202, { requestId: 'a\u0000b', statusName: 'success' }),
      'unknown NO_REQUEST_ID',
    ],
    ['2xx that is no JSON', answered(200, '<ok/>'), 'unknown NO_REQUEST_ID'],
    ['2xx of a type that is none', answered(202, '[]'), 'unknown NO_REQUEST_ID'],
    ['204', answered(204, ''), 'unknown NO_REQUEST_ID'],
    ['302', answered(302, ''), 'not-sent bad-address BAD_ADDRESS'],
    ['400/100', error(400, '100'), 'refused BAD_REQUEST'],
    [
      '401/200 with something left to try',
      error(401, '200', { keys: 'try-again' }),
      'not-sent key-again AUTHENTICATION_FAILED',
    ],
    ['401/200 with nothing left', error(401, '200', { keys: 'exhausted' }), 'not-sent bad-key BAD_KEY'],
    ['401/210', error(401, '210'), 'refused PERMISSION_DENIED'],
    ['403/210', error(403, '210'), 'refused FORBIDDEN'],
    ['404/300', error(404, '300'), 'refused NOT_FOUND'],
    ['409/409', error(409, '409'), 'unknown KEY_CONFLICT'],
    ['413/430', error(413, '430'), 'refused REQUEST_ENTITY_TOO_LARGE'],
    ['a 4xx of a code nobody listed', error(422, '999'), 'refused REFUSED_422'],
    ['429/400', error(429, '400'), 'not-sent quota QUOTA_EXCEEDED'],
    ['429/410', error(429, '410'), 'not-sent throttled THROTTLE_LIMITED'],
    ['429/420', error(429, '420'), 'not-sent throttled RATE_LIMITED'],
    ['429 of somebody between', answered(429, 'slow down'), 'not-sent throttled THROTTLE_LIMITED'],
    ['a 4xx not in the shape', answered(404, '<html>nginx</html>'), 'refused FOREIGN_ANSWER'],
    ['a 401 not in the shape', answered(401, ''), 'refused FOREIGN_ANSWER'],
    ['503/500', error(503, '500'), 'not-sent endpoint ENDPOINT_ERROR'],
    ['503 of another code', error(503, '510'), 'unknown SERVER_ERROR'],
    ['503 not in the shape', answered(503, 'unavailable'), 'unknown SERVER_ERROR'],
    ['502', answered(502, 'bad gateway'), 'unknown SERVER_ERROR'],
    ['504/510', error(504, '510'), 'unknown ENDPOINT_TIMEOUT'],
    ['500/900', error(500, '900'), 'unknown UNEXPECTED'],
    ['507', error(507, '1'), 'unknown SERVER_ERROR'],
    ['a status beyond all', answered(600, ''), 'unknown SERVER_ERROR'],
  ])('%s', (_, answer, expected) => {
    expect(brief(answer)).toBe(expected);
  });

  it.each([
    [
      'nothing left',
      { started: false, error: 'ECONNREFUSED', timedOut: false },
      'not-sent not-started NOT_REACHED',
    ],
    [
      'a fault of ours kept it from being called',
      { started: false, error: 'KEY_UNREADABLE', timedOut: false },
      'not-sent local-fault KEY_UNREADABLE',
    ],
    [
      'the connection was lost',
      { started: true, error: 'UND_ERR_SOCKET', timedOut: false },
      'unknown CONNECTION_LOST',
    ],
    ['no answer in time', { started: true, error: 'CALL_TIMEOUT', timedOut: true }, 'unknown ANSWER_TIMEOUT'],
    [
      'a cut 202',
      { started: true, error: 'UND_ERR_SOCKET', timedOut: false, status: 202 },
      'unknown TRUNCATED_ANSWER',
    ],
    [
      'a cut 400',
      { started: true, error: 'UND_ERR_SOCKET', timedOut: false, status: 400 },
      'unknown TRUNCATED_ANSWER',
    ],
  ] as const)('when %s', (_, cut, expected) => {
    expect(brief({ kind: 'unanswered', ...cut })).toBe(expected);
  });

  it('returns Retry-After of a 429 and a 503/500', () => {
    expect(readSendAnswer(error(429, '410', { retryAfterMs: 7_000 }), 'immediate')).toMatchObject({
      retryAfterMs: 7_000,
    });
    expect(readSendAnswer(error(503, '500', { retryAfterMs: 2_000 }), 'immediate')).toMatchObject({
      retryAfterMs: 2_000,
    });
  });

  it('knows every error the contract lists, whatever the mode', () => {
    for (const { status, errorCode } of Object.values(PUSH_ERRORS)) {
      for (const mode of MODES) {
        const { kind } = readSendAnswer(error(status, errorCode), mode);
        const expected =
          status === 429 || status === 503 || (status === 401 && errorCode === '200')
            ? 'not-sent'
            : status < 500 && status !== 409
              ? 'refused'
              : 'unknown';
        expect(`${status}/${errorCode} ${kind}`).toBe(`${status}/${errorCode} ${expected}`);
      }
    }
  });

  it('is unknown for every 5xx that proves nothing', () => {
    for (let status = 500; status < 600; status += 1) {
      for (const code of ['100', '200', '410', '510', '900', 'x']) {
        expect(readSendAnswer(error(status, code), 'immediate').kind).toBe('unknown');
      }
    }
  });

  it('keeps no text that the database cannot store', () => {
    const outcome = readSendAnswer(
      answered(400, { error: { errorCode: '100', message: 'a\u0000b\uD800c' } }),
      'immediate',
    );
    expect(outcome).toMatchObject({ detail: '400/100 a\uFFFDb\uFFFDc' });
  });
});
