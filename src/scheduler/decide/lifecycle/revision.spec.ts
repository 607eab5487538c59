// What a revision changes, in tables: data before and after, and an occurrence's judgement.
import { describe, expect, it } from 'vitest';
import type { Campaign, Delivery } from '../plan/campaign.js';
import { policyDefaults, type Policy } from '../timing/campaign-policy.js';
import { judgeRevised, keepsPlaces, revisionChange } from './revision.js';
import { GONE_STATES } from './send-state.js';

const users = (...to: string[]) => ({ type: 'USER', to, deviceType: null, country: [] }) as const;
const all = { type: 'ALL', deviceType: null, country: [] } as const;
const at = (day: number): Delivery => ({ kind: 'recipient', local: `2027-03-0${day}T09:00` });
const CAMPAIGN: Campaign = {
  serviceId: 'shop',
  campaignId: 'spring',
  name: null,
  tags: [],
  messageType: 'NOTIF',
  audience: users('a', 'b'),
  message: { default: { content: 'hello' } },
  delivery: at(1),
  policy: policyDefaults,
};
const policy = (differs: Partial<Policy>): Partial<Campaign> => ({
  policy: { ...policyDefaults, ...differs },
});

describe('what differs', () => {
  it.each<[string, Partial<Campaign>, { audience?: true; message?: true; content?: true }]>([
    ['nothing', {}, {}],
    ['its name and tags', { name: 'n', tags: ['t'] }, {}],
    [
      'the order of members',
      { audience: { country: [], deviceType: null, to: ['a', 'b'], type: 'USER' } },
      {},
    ],
    ['its time', { delivery: at(2) }, {}],
    ['its approval', policy({ approval: 'required' }), {}],
    ['its test', policy({ testTo: ['me'] }), {}],
    ['a policy that only moves dues', policy({ jitterMs: 60_000 }), {}],
    ['its message', { message: { default: { content: 'bye' } } }, { message: true, content: true }],
    ['its message type', { messageType: 'AD' }, { message: true, content: true }],
    ['lateness', policy({ lateness: { maxMs: 1, beyond: 'expire' } }), { content: true }],
    [
      'quiet hours',
      policy({ quietHours: { startMinute: 0, endMinute: 1, action: 'skip' } }),
      { content: true },
    ],
    ['hand-off', policy({ handoff: 'hold' }), { content: true }],
    ['an id', { audience: users('a', 'b', 'c') }, { audience: true }],
    ['a filter', { audience: { ...users('a', 'b'), deviceType: 'GCM' } }, { audience: true }],
    ['split', policy({ split: { deviceType: true, country: false } }), { audience: true }],
    [
      'a segment',
      { delivery: { ...at(1), segments: [{ zone: 'Asia/Seoul', audience: users('s') }] } as Delivery },
      { audience: true },
    ],
  ])('%s', (_what, after, expected) => {
    expect(revisionChange(CAMPAIGN, { ...CAMPAIGN, ...after })).toEqual({
      audience: false,
      message: false,
      content: false,
      ...expected,
    });
  });
});

describe('recipients stay where they are', () => {
  const wall = (zone: string): Delivery => ({ kind: 'wall', local: '2027-03-01T09:00', zone });
  const rule: Delivery = { kind: 'recipient', local: '2027-03-01T09:00', recurrence: 'FREQ=DAILY' };
  it.each<[string, boolean, Partial<Campaign>, Partial<Campaign>]>([
    ['with another message', true, {}, { message: { default: { content: 'bye' } } }],
    ['at another time', true, {}, { delivery: at(2) }],
    ['with another audience', false, {}, { audience: users('a') }],
    ['on another kind of clock', false, {}, { delivery: { kind: 'now' } }],
    ['in another named zone', false, { delivery: wall('Asia/Seoul') }, { delivery: wall('Europe/Paris') }],
    ['in the same named zone', true, { delivery: wall('Asia/Seoul') }, { delivery: wall('Asia/Seoul') }],
    ['now, as before', true, { delivery: { kind: 'now' } }, { delivery: { kind: 'now' } }],
    ['in a recurrence', false, { delivery: rule }, { delivery: rule }],
    ['once it recurs', false, {}, { delivery: rule }],
    ['of no ids', false, { audience: all }, { audience: all }],
    ['with a plan that was previewed', false, {}, { planHash: 'abc' }],
  ])('%s: %s', (_when, expected, before, after) => {
    expect(keepsPlaces({ ...CAMPAIGN, ...before }, { ...CAMPAIGN, ...after })).toBe(expected);
  });
});

describe('an occurrence', () => {
  it.each([
    // begun, moves, audience, recurs
    [false, false, false, false, 'takes'],
    [false, true, true, false, 'takes'],
    [false, true, true, true, 'takes'],
    [true, false, false, false, 'takes'],
    [true, true, false, false, 'fixed'],
    [true, false, true, false, 'fixed'],
    [true, false, false, true, 'keeps'],
    [true, true, true, true, 'keeps'],
  ] as const)(
    'begun %s, moved %s, another audience %s, recurring %s: %s',
    (begun, moves, audience, recurs, is) => {
      expect(judgeRevised({ begun, moves }, { audience, recurs })).toBe(is);
    },
  );
});

it('life-of-a-send.md: leaves these states as they are', () => {
  expect(GONE_STATES).toEqual([
    'accepted',
    'uncertain',
    'sent',
    'failed',
    'empty',
    'stale',
    'rejected',
    'canceled',
    'expired',
    'skipped',
  ]);
});
