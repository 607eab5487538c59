import { expect, it } from 'vitest';
import type { PushAnswer } from '../push-api.js';
import { readBreakdown } from './read-breakdown.js';

const answered = (status: number, body: unknown): PushAnswer => ({
  kind: 'answered',
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
});
const group = (more: object = {}) => ({
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

it('reads groups of devices without their offsets, and whether the page is the last', () => {
  const { timezone: _, ...read } = group();
  expect(readBreakdown(pageOf(group()))).toEqual({ kind: 'groups', groups: [read], ids: null, isLast: true });
  expect(readBreakdown(pageOf())).toEqual({ kind: 'groups', groups: [], ids: null, isLast: true });
  const full = Array.from({ length: 1_000 }, (_unused, timezone) => group({ timezone }));
  expect(readBreakdown(pageOf(...full))).toMatchObject({ kind: 'groups', isLast: false });
});

it.each([
  [{ named: 5, unknown: 2, withoutDevice: 3 }, 'groups'],
  [null, 'groups'],
  [{ named: 5, unknown: 3, withoutDevice: 3 }, 'unread'],
  [{ named: -1, unknown: 0, withoutDevice: 0 }, 'unread'],
  [{ named: 5 }, 'unread'],
])('the ids %j are read as %s', (ids, kind) => {
  const page = readBreakdown(answered(200, { requestId: 'r', breakdown: [], ids }));
  expect(page).toEqual(kind === 'groups' ? { kind, groups: [], ids, isLast: true } : { kind });
});

it.each([
  [null, null],
  [undefined, null],
  ['', null],
  ['x'.repeat(101), 'x'.repeat(100)],
  ['a\0b', 'a\uFFFDb'],
])('a reason %j is kept as %j', (reason, kept) => {
  expect(readBreakdown(pageOf(group({ reason })))).toMatchObject({ groups: [{ reason: kept }] });
});

it.each([
  ['a kind that is no name', pageOf(group({ deviceType: 'a b' }))],
  ['a name that is too long', pageOf(group({ country: 'X'.repeat(41) }))],
  ['an empty name', pageOf(group({ language: '' }))],
  ['an outcome that nobody knows', pageOf(group({ outcome: 'lost' }))],
  ['half a device', pageOf(group({ count: 0.5 }))],
  ['more devices than there are', pageOf(group({ count: 1e13 }))],
  ['fewer than none', pageOf(group({ count: -1 }))],
  ['more than a page', pageOf(...Array.from({ length: 1_001 }, () => group()))],
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
