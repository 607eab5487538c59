import { expect, it } from 'vitest';
import type { PushAnswer } from '../push-api.js';
import { readBreakdown } from './read-breakdown.js';

const answered = (status: number, body: unknown): PushAnswer => ({
  kind: 'answered',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const part = (more: object = {}) => ({
  deviceType: 'APNS',
  country: 'US',
  language: 'zh-Hant',
  timezone: 0,
  outcome: 'failed',
  reason: 'REJECTED',
  count: 3,
  ...more,
});
const pageOf = (...breakdown: object[]) => answered(200, { requestId: 'r', breakdown });

it('reads parts, without their offsets, and whether they are the last', () => {
  const { timezone: _, ...read } = part();
  expect(readBreakdown(pageOf(part()))).toEqual({ kind: 'parts', parts: [read], isLast: true });
  expect(readBreakdown(pageOf())).toEqual({ kind: 'parts', parts: [], isLast: true });
  const full = Array.from({ length: 1_000 }, (_unused, timezone) => part({ timezone }));
  expect(readBreakdown(pageOf(...full))).toMatchObject({ kind: 'parts', isLast: false });
});

it.each([
  [null, null],
  [undefined, null],
  ['', null],
  ['x'.repeat(101), 'x'.repeat(100)],
  ['a\0b', 'a\uFFFDb'],
])('a reason %j is kept as %j', (reason, kept) => {
  expect(readBreakdown(pageOf(part({ reason })))).toMatchObject({ parts: [{ reason: kept }] });
});

it.each([
  ['a kind that is no name', pageOf(part({ deviceType: 'a b' }))],
  ['a name that is too long', pageOf(part({ country: 'X'.repeat(41) }))],
  ['an empty name', pageOf(part({ language: '' }))],
  ['an outcome that nobody knows', pageOf(part({ outcome: 'lost' }))],
  ['half a device', pageOf(part({ count: 0.5 }))],
  ['more devices than there are', pageOf(part({ count: 1e13 }))],
  ['fewer than none', pageOf(part({ count: -1 }))],
  ['more than a page', pageOf(...Array.from({ length: 1_001 }, () => part()))],
  ['no list', answered(200, {})],
  ['no JSON', answered(200, '<html>')],
  ['a 404 of somebody between', answered(404, 'not here')],
  ['a 500', answered(500, { error: { errorCode: '900', message: 'no' } })],
  ['nothing', { kind: 'unanswered', started: true, error: 'ECONNRESET', timedOut: false } as const],
])('%s is no clear answer', (_, answer) => {
  expect(readBreakdown(answer)).toEqual({ kind: 'unread' });
});

it.each([
  [404, { error: { errorCode: '300', message: 'there is no such message' } }],
  [410, ''],
])('%i says that the message is gone', (status, body) => {
  expect(readBreakdown(answered(status, body))).toEqual({ kind: 'gone' });
});
