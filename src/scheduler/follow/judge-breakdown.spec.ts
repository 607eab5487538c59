import { describe, expect, it } from 'vitest';
import type { BreakdownGroup, NamedIds } from '../push-client/answers/read-breakdown.js';
import type { DueBreakdown } from '../store/rollup/breakdown.store.js';
import { judgeBreakdown } from './judge-breakdown.js';

const NOW = Date.parse('2027-03-01T00:00Z');
const MINUTE = 60_000;
const due = (more: Partial<DueBreakdown> = {}): DueBreakdown => ({
  send: 's',
  serviceId: 'shop-app',
  requestId: 'r',
  target: 10,
  sent: 7,
  recipients: null,
  asked: 0,
  ...more,
});
const group = (
  outcome: BreakdownGroup['outcome'],
  count: number,
  more: Partial<BreakdownGroup> = {},
): BreakdownGroup => ({
  deviceType: 'GCM',
  country: 'KR',
  language: 'ko',
  outcome,
  reason: null,
  count,
  ...more,
});
const answerOf = (...groups: BreakdownGroup[]) => ({ kind: 'groups', groups, ids: null }) as const;
const ALL = { device_type: 'all', country: 'all', language: 'all' };
const answered = { ...ALL, outcome: 'answered', reason: null, devices: 1 };
const whole = [group('sent', 7), group('failed', 2, { reason: 'REJECTED' }), group('unknown', 1)];
const notReported = (reason: string) => [
  { device_type: 'all', country: 'all', language: 'all', outcome: 'not-reported', reason, devices: 10 },
];

describe('a breakdown that is recorded', () => {
  it('adds up to the result, however many were suppressed in addition', () => {
    const judged = judgeBreakdown(
      due(),
      answerOf(...whole, group('suppressed', 40, { reason: 'NIGHT' })),
      NOW,
    );
    expect(judged).toEqual({
      kind: 'ended',
      reported: [
        { device_type: 'GCM', country: 'KR', language: 'ko', outcome: 'sent', reason: null, devices: 7 },
        {
          device_type: 'GCM',
          country: 'KR',
          language: 'ko',
          outcome: 'failed',
          reason: 'REJECTED',
          devices: 2,
        },
        { device_type: 'GCM', country: 'KR', language: 'ko', outcome: 'unknown', reason: null, devices: 1 },
        {
          device_type: 'GCM',
          country: 'KR',
          language: 'ko',
          outcome: 'suppressed',
          reason: 'NIGHT',
          devices: 40,
        },
        answered,
      ],
    });
  });

  it('has one group of each kind: offsets are added up, and a group of no device is left out', () => {
    const judged = judgeBreakdown(
      due({ target: 7 }),
      answerOf(group('sent', 3), group('sent', 4), group('failed', 0)),
      NOW,
    );
    expect(judged).toMatchObject({ kind: 'ended', reported: [{ outcome: 'sent', devices: 7 }, answered] });
  });

  it('is empty for a send for nobody, where nobody was suppressed', () => {
    const nobody = due({ target: 0, sent: 0 });
    expect(judgeBreakdown(nobody, answerOf(), NOW)).toEqual({ kind: 'ended', reported: [answered] });
    expect(judgeBreakdown(nobody, { kind: 'gone' }, NOW)).toEqual({ kind: 'ended', reported: [] });
  });
});

describe('what a breakdown says of ids', () => {
  const absent = (reason: string, devices: number) => ({ ...ALL, outcome: 'absent', reason, devices });
  const judged = (more: Partial<DueBreakdown>, ids: NamedIds) => {
    const one = judgeBreakdown(due(more), { ...answerOf(...whole), ids }, NOW);
    return one.kind === 'ended' ? one.reported.slice(whole.length) : one;
  };

  it.each([
    ['nobody is missing', { named: 9, unknown: 0, withoutDevice: 0 }, []],
    [
      'some are unknown, some have no device',
      { named: 9, unknown: 3, withoutDevice: 1 },
      [absent('UNKNOWN_ID', 3), absent('NO_DEVICE', 1)],
    ],
  ])('is counted: %s', (_, ids, more) => {
    const named = { ...ALL, outcome: 'named', reason: null, devices: 9 };
    expect(judged({ recipients: 9 }, ids)).toEqual([answered, named, ...more]);
  });

  it('is left out for one id that got it on all devices: its result says it already', () => {
    const result = { kind: 'groups', groups: [group('sent', 2)] } as const;
    const one = judgeBreakdown(
      due({ recipients: 1, target: 2, sent: 2 }),
      { ...result, ids: { named: 1, unknown: 0, withoutDevice: 0 } },
      NOW,
    );
    expect(one.kind === 'ended' && one.reported.map(({ outcome }) => outcome)).toEqual(['sent']);
  });
});

describe('a breakdown that is given up', () => {
  it.each([
    ['a message that is gone', { kind: 'gone' }, 'GONE'],
    ['more pages than are read', { kind: 'too-long' }, 'TOO_LONG'],
  ] as const)('is %s', (_, one, reason) => {
    expect(judgeBreakdown(due(), one, NOW)).toEqual({ kind: 'ended', reported: notReported(reason) });
  });

  it.each([
    ['more targets than the result', [...whole, group('failed', 1)]],
    ['fewer', [group('sent', 7)]],
    ['as many targets, but others that got it', [group('sent', 6), group('failed', 4)]],
    ['nothing', []],
  ])('does not add up, once it was asked for three times: %s', (_, groups) => {
    const judge = (asked: number) => judgeBreakdown(due({ asked }), answerOf(...groups), NOW);
    expect(judge(0)).toEqual({ kind: 'again', code: 'DIFFERS', nextAt: NOW + MINUTE });
    expect(judge(1)).toEqual({ kind: 'again', code: 'DIFFERS', nextAt: NOW + 2 * MINUTE });
    expect(judge(2)).toEqual({ kind: 'ended', reported: notReported('DIFFERS') });
  });
});

describe('a breakdown is asked for again', () => {
  it('while devices are pending, whatever they add up to', () => {
    const judged = judgeBreakdown(due({ asked: 5 }), answerOf(...whole, group('pending', 1)), NOW);
    expect(judged).toMatchObject({ kind: 'again', code: 'PENDING' });
  });

  it.each([
    [0, MINUTE],
    [3, 8 * MINUTE],
    [8, 256 * MINUTE],
    [9, 360 * MINUTE],
    [2_000, 360 * MINUTE],
  ])('after %i tries without a clear answer in %i ms', (asked, gapMs) => {
    expect(judgeBreakdown(due({ asked }), { kind: 'unread' }, NOW)).toEqual({
      kind: 'again',
      code: 'UNREAD',
      nextAt: NOW + gapMs,
    });
  });
});
