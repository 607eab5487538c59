import { describe, expect, it } from 'vitest';
import type { BreakdownPart } from '../push-client/answers/read-breakdown.js';
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
  asked: 0,
  ...more,
});
const part = (
  outcome: BreakdownPart['outcome'],
  count: number,
  more: Partial<BreakdownPart> = {},
): BreakdownPart => ({
  deviceType: 'GCM',
  country: 'KR',
  language: 'ko',
  outcome,
  reason: null,
  count,
  ...more,
});
const heard = (...parts: BreakdownPart[]) => ({ kind: 'parts', parts }) as const;
const whole = [part('sent', 7), part('failed', 2, { reason: 'REJECTED' }), part('unknown', 1)];
const notTold = (reason: string) => [
  { device_type: 'all', country: 'all', language: 'all', outcome: 'not-told', reason, devices: 10 },
];

describe('what is told', () => {
  it('is what adds up to the result, whoever was suppressed beside it', () => {
    const judged = judgeBreakdown(due(), heard(...whole, part('suppressed', 40, { reason: 'NIGHT' })), NOW);
    expect(judged).toEqual({
      kind: 'ended',
      told: [
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
      ],
    });
  });

  it('is one of each kind: offsets are added up, and nothing is kept of no device', () => {
    const judged = judgeBreakdown(
      due({ target: 7 }),
      heard(part('sent', 3), part('sent', 4), part('failed', 0)),
      NOW,
    );
    expect(judged).toMatchObject({ kind: 'ended', told: [{ outcome: 'sent', devices: 7 }] });
    expect(judged.kind === 'ended' && judged.told).toHaveLength(1);
  });

  it('is nothing of a send for nobody, of which nobody was suppressed', () => {
    const nobody = due({ target: 0, sent: 0 });
    expect(judgeBreakdown(nobody, heard(), NOW)).toEqual({ kind: 'ended', told: [] });
    expect(judgeBreakdown(nobody, { kind: 'gone' }, NOW)).toEqual({ kind: 'ended', told: [] });
  });
});

describe('what is not told', () => {
  it.each([
    ['a message that is gone', { kind: 'gone' }, 'GONE'],
    ['more pages than are read', { kind: 'too-long' }, 'TOO_LONG'],
  ] as const)('is %s', (_, one, reason) => {
    expect(judgeBreakdown(due(), one, NOW)).toEqual({ kind: 'ended', told: notTold(reason) });
  });

  it.each([
    ['more targets than the result', [...whole, part('failed', 1)]],
    ['fewer', [part('sent', 7)]],
    ['as many targets, but others that got it', [part('sent', 6), part('failed', 4)]],
    ['nothing', []],
  ])('is what does not add up, once it was asked three times: %s', (_, parts) => {
    const judge = (asked: number) => judgeBreakdown(due({ asked }), heard(...parts), NOW);
    expect(judge(0)).toEqual({ kind: 'again', code: 'DIFFERS', nextAt: NOW + MINUTE });
    expect(judge(1)).toEqual({ kind: 'again', code: 'DIFFERS', nextAt: NOW + 2 * MINUTE });
    expect(judge(2)).toEqual({ kind: 'ended', told: notTold('DIFFERS') });
  });
});

describe('it is asked again', () => {
  it('while devices are pending, whatever they add up to', () => {
    const judged = judgeBreakdown(due({ asked: 5 }), heard(...whole, part('pending', 1)), NOW);
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
