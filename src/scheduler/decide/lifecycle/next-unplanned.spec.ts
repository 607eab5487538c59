import { describe, expect, it } from 'vitest';
import { aCampaign, rules } from '../../../../test/support/planning/planning.js';
import type { Delivery } from '../plan/campaign.js';
import { nextUnplanned } from './next-unplanned.js';

const daily = (recurrence = 'FREQ=DAILY', local = '2027-03-01T09:00'): Delivery => ({
  kind: 'wall',
  local,
  zone: 'Asia/Seoul',
  recurrence,
});
const next = (
  delivery: Delivery,
  {
    after = null,
    leftOut = [],
    now = '2027-02-01T00:00Z',
  }: {
    readonly after?: string | null;
    readonly leftOut?: readonly string[];
    readonly now?: string;
  } = {},
): string | undefined =>
  nextUnplanned(aCampaign(delivery), { after, leftOut: new Set(leftOut), now: Date.parse(now) }, rules);

describe('the next occurrence to be planned', () => {
  it('is the first, of a recurrence of which none was planned', () => {
    expect(next(daily())).toBe('2027-03-01T09:00');
    expect(next(daily('FREQ=WEEKLY;BYDAY=WE'))).toBe('2027-03-03T09:00');
  });

  it('is, where it began long ago, none that was over a day ago on every clock', () => {
    expect(next(daily(), { now: '2027-03-10T09:00Z' })).toBe('2027-03-09T09:00');
    expect(next(daily(), { now: '2027-03-10T09:00:01Z' })).toBe('2027-03-10T09:00');
  });

  it('follows the last that was planned, however late it is', () => {
    expect(next(daily(), { after: '2027-03-02T09:00' })).toBe('2027-03-03T09:00');
    expect(next(daily(), { after: '2027-03-02T09:00', now: '2027-06-01T00:00Z' })).toBe('2027-03-03T09:00');
  });

  it('is none that was cancelled before it was planned', () => {
    const leftOut = ['2027-03-03T09:00', '2027-03-04T09:00'];
    expect(next(daily(), { after: '2027-03-02T09:00', leftOut })).toBe('2027-03-05T09:00');
  });

  it('is none after the last of the rule, nor where all that are left were cancelled', () => {
    const twice = daily('FREQ=DAILY;COUNT=2');
    expect(next(twice, { after: '2027-03-01T09:00' })).toBe('2027-03-02T09:00');
    expect(next(twice, { after: '2027-03-02T09:00' })).toBeUndefined();
    expect(next(twice, { after: '2027-03-01T09:00', leftOut: ['2027-03-02T09:00'] })).toBeUndefined();
    expect(next(daily('FREQ=DAILY;UNTIL=20270302'), { after: '2027-03-02T09:00' })).toBeUndefined();
  });

  it('is none without a recurrence', () => {
    expect(next({ kind: 'now' })).toBeUndefined();
    expect(next({ kind: 'wall', local: '2027-03-01T09:00', zone: 'Asia/Seoul' })).toBeUndefined();
  });

  it('is not to be had of a rule that cannot be read', () => {
    expect(() => next(daily('every day'))).toThrow(RangeError);
  });
});
