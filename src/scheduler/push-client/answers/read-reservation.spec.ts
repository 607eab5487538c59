import { describe, expect, it } from 'vitest';
import { RESERVE_STATUSES } from '../../../push-contract/statuses.js';
import type { PushAnswer } from '../push-api.js';
import { readCancel, readReservation } from './read-reservation.js';

const answered = (status: number, body: unknown): PushAnswer => ({
  kind: 'answered',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const lost: PushAnswer = { kind: 'unanswered', started: true, error: 'UND_ERR_SOCKET', timedOut: false };

describe('the status of a reservation (push-interface.md §3)', () => {
  it.each(RESERVE_STATUSES)('is %s', (status) => {
    expect(readReservation(answered(200, { reserveStatus: status, more: 1 }))).toEqual({
      kind: 'status',
      status,
    });
  });

  it.each(['READYISH', 'ready', ' DONE'])('is kept if it is unknown, and never guessed: %j', (status) => {
    expect(readReservation(answered(200, { reserveStatus: status }))).toEqual({
      kind: 'unknown-status',
      status,
    });
  });

  it('is kept as far as the database can store it', () => {
    const status = `a\u0000${'x'.repeat(400)}`;
    expect(readReservation(answered(200, { reserveStatus: status }))).toEqual({
      kind: 'unknown-status',
      status: `a\uFFFD${'x'.repeat(298)}`,
    });
  });

  it.each<[string, PushAnswer, string]>([
    ['no answer came', lost, 'UND_ERR_SOCKET'],
    ['it is no success', answered(404, { reserveStatus: 'DONE' }), '404 {"reserveStatus":"DONE"}'],
    ['it redirects', answered(302, { reserveStatus: 'DONE' }), '302 {"reserveStatus":"DONE"}'],
    ['it is no JSON', answered(200, '<ok/>'), '200 <ok/>'],
    ['it has no status', answered(200, {}), '200 {}'],
    ['its status is empty', answered(200, { reserveStatus: '' }), '200 {"reserveStatus":""}'],
    ['its status is no text', answered(200, { reserveStatus: 1 }), '200 {"reserveStatus":1}'],
    ['it is a list', answered(200, []), '200 []'],
    ['it is null', answered(200, 'null'), '200 null'],
  ])('is not read if %s', (_what, answer, detail) => {
    expect(readReservation(answer)).toEqual({ kind: 'unread', detail });
  });
});

// hand-off.md, "Following": 204 confirms; 400 and 404 prove nothing.
describe('the answer to a cancel', () => {
  it.each<[PushAnswer, string, string]>([
    [answered(204, ''), 'confirmed', '204'],
    [answered(200, 'ok'), 'confirmed', '200 ok'],
    [answered(299, ''), 'confirmed', '299'],
    [answered(302, ''), 'unread', '302'],
    [answered(400, 'late'), 'proves-nothing', '400 late'],
    [answered(401, ''), 'unread', '401'],
    [answered(404, ''), 'proves-nothing', '404'],
    [answered(409, ''), 'unread', '409'],
    [answered(429, ''), 'unread', '429'],
    [answered(500, 'oh'), 'unread', '500 oh'],
    [lost, 'unread', 'UND_ERR_SOCKET'],
  ])('%o', (answer, kind, detail) => {
    expect(readCancel(answer)).toEqual({ kind, detail });
  });
});
