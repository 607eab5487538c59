// How an answer is read for its whole project (hand-off.md, "What an answer means").
import { describe, expect, it } from 'vitest';
import { PUSH_ERRORS, type PushErrorName } from '../../../push-contract/errors.js';
import type { Answered, PushAnswer, Unanswered } from '../push-api.js';
import { codeOf } from './error-meanings.js';
import { brief, readProject, words, wordsOf } from './read-project.js';

const answered = (status: number, body: unknown = '', rest: Partial<Answered> = {}): Answered => ({
  kind: 'answered',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
  ...rest,
});
const error = (status: number, errorCode: string, rest: Partial<Answered> = {}): Answered =>
  answered(status, { error: { errorCode, message: 'as it says' } }, rest);
const unanswered = (code: string, started = false): Unanswered => ({
  kind: 'unanswered',
  started,
  error: code,
  timedOut: false,
});

/** The reading, in few words. */
function shown(answer: PushAnswer): string {
  const reading = readProject(answer);
  if (reading.kind === 'local-fault') return `local-fault ${reading.fault.code}`;
  if (reading.kind === 'nothing') return `nothing, ${reading.evidence}`;
  return `${reading.cause} ${reading.code} ${reading.forMs}, ${reading.evidence}`;
}

const MINUTE = 60_000;
const DAY = 1_440 * MINUTE;

describe('what an answer says about its project', () => {
  const cases: [what: string, PushAnswer, string][] = [
    ['a success', answered(202, { requestId: 'r-1' }), 'nothing, good'],
    ['a success without a body', answered(204), 'nothing, good'],
    ['a success that is a page of somebody between', answered(200, '<html>'), 'nothing, none'],
    ['a redirect', answered(302), 'bad-address BAD_ADDRESS Infinity, none'],
    [
      'a redirect of an address that was changed since',
      answered(302, '', { isOutdated: true }),
      'bad-address BAD_ADDRESS 0, none',
    ],
    ['a refusal', error(400, '100'), 'nothing, good'],
    ['a refusal of somebody between', answered(404, '<html>nginx'), 'nothing, none'],
    ['a 401/200 with something left to try', error(401, '200', { keys: 'try-again' }), 'nothing, good'],
    [
      'a 401/200 with nothing left',
      error(401, '200', { keys: 'exhausted' }),
      'bad-key BAD_KEY Infinity, good',
    ],
    ['a 401/210', error(401, '210', { keys: 'exhausted' }), 'nothing, good'],
    ['a 401 of somebody between', answered(401, '', { keys: 'exhausted' }), 'nothing, none'],
    ['a 5xx', answered(500), 'nothing, bad'],
    ['a 503/500', error(503, '500'), 'nothing, bad'],
    ['a 429/400', error(429, '400'), `quota QUOTA_EXCEEDED ${15 * MINUTE}, none`],
    ['a 429/410', error(429, '410'), 'throttled THROTTLE_LIMITED 1000, none'],
    ['a 429/420', error(429, '420'), 'throttled RATE_LIMITED 1000, none'],
    ['a 429 of somebody between', answered(429, 'slow down'), 'throttled THROTTLE_LIMITED 1000, none'],
    ['nothing, of a request that left', unanswered('UND_ERR_SOCKET', true), 'nothing, bad'],
    ['nothing, of a request that never began', unanswered('ECONNREFUSED'), 'nothing, bad'],
    ['nothing, by a fault of ours', unanswered('KEY_UNREADABLE'), 'local-fault KEY_UNREADABLE'],
    ['nothing, by a fault of ours without a key', unanswered('NO_KEY'), 'local-fault NO_KEY'],
    // A call that was started is no local fault.
    ['nothing, of a request that left, by that name', unanswered('NO_KEY', true), 'nothing, bad'],
    ['nothing, by a name that every object has', unanswered('constructor'), 'nothing, bad'],
    [
      'nothing, for an address that is not allowed',
      unanswered('ADDRESS_REFUSED'),
      'bad-address BAD_ADDRESS Infinity, none',
    ],
  ];
  it.each(cases)('%s', (_what, answer, expected) => {
    expect(shown(answer)).toBe(expected);
  });

  it.each([
    [7_000, 7_000],
    [0, 0],
    [DAY, DAY],
    [DAY + 1, DAY],
  ])('a 429 with a Retry-After of %d ms blocks for %d ms: at most a day', (retryAfterMs, forMs) => {
    for (const code of ['400', '410'])
      expect(readProject(error(429, code, { retryAfterMs }))).toMatchObject({ forMs, retryAfterMs });
  });

  it('a 429, a refused key and a redirect are shown with the text of the answer', () => {
    expect(readProject(error(429, '410'))).toMatchObject({ detail: '429/410 as it says' });
    expect(readProject(error(401, '200'))).toMatchObject({ detail: '401/200 as it says' });
    expect(readProject(answered(301))).toMatchObject({ detail: '301: it redirects' });
  });
});

describe('the text of an answer', () => {
  it('has its code if it is in the gateway’s form, otherwise its body', () => {
    expect([wordsOf(error(400, '100')), wordsOf(answered(404, '<html>'))]).toEqual([
      '400/100 as it says',
      '404 <html>',
    ]);
  });

  it('can be stored in the database, and is bounded', () => {
    expect(words('a\u0000b\uD800c 가😀')).toBe('a\uFFFDb\uFFFDc 가😀');
    expect([words('x'.repeat(501)).length, brief('x'.repeat(501)).length]).toEqual([500, 300]);
    // Cut through the middle of a letter of two halves.
    expect(words(`${'x'.repeat(499)}😀`).at(-1)).toBe('\uFFFD');
  });

  it.each<[PushErrorName, string]>([
    ['badRequest', 'BAD_REQUEST'],
    ['requestEntityTooLarge', 'REQUEST_ENTITY_TOO_LARGE'],
    ['conflict', 'CONFLICT'],
  ])('name %s %s', (name, code) => {
    expect(codeOf(name)).toBe(code);
  });

  it('name each error of the contract differently', () => {
    const names = Object.keys(PUSH_ERRORS) as PushErrorName[];
    expect(new Set(names.map(codeOf)).size).toBe(names.length);
  });
});
