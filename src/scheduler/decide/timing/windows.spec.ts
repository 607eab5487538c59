import { describe, expect, it } from 'vitest';
import { aroundTheWorld, everywhere, outcomes } from '../../../../test/support/around-the-world.js';
import { aCampaign, aPlan, cellIn, everybody, users } from '../../../../test/support/planning.js';
import type { Plan } from '../plan/plan-types.js';
import type { Policy } from './campaign-policy.js';

describe('night and quiet hours (planning.md §4)', () => {
  const ad = (local: string, policy: Partial<Policy>): Plan =>
    aPlan(
      aCampaign({ kind: 'wall', local, zone: 'Asia/Seoul' }, { messageType: 'AD', policy }),
      '2027-02-01T00:00Z',
    );

  it.each<[string, string, Partial<Policy>, string]>([
    ['21:00 is night', '2027-03-01T21:00', { night: 'defer' }, 'Asia/Seoul 2027-03-01T23:00Z'],
    ['07:59 is night', '2027-03-01T07:59', { night: 'defer' }, 'Asia/Seoul 2027-02-28T23:00Z'],
    ['08:00 is not', '2027-03-01T08:00', { night: 'defer' }, 'Asia/Seoul 2027-02-28T23:00Z'],
    ['20:59 is not', '2027-03-01T20:59', { night: 'defer' }, 'Asia/Seoul 2027-03-01T11:59Z'],
    ['skip', '2027-03-01T22:00', { night: 'skip' }, 'Asia/Seoul NIGHT'],
    ['consented goes as it is', '2027-03-01T22:00', { night: 'consented' }, 'Asia/Seoul 2027-03-01T13:00Z'],
    [
      'a night that ends in a quiet hour is deferred by both',
      '2027-03-01T22:00',
      { night: 'defer', quietHours: { startMinute: 7 * 60, endMinute: 10 * 60, action: 'defer' } },
      'Asia/Seoul 2027-03-02T01:00Z',
    ],
    [
      'a night that ends in a quiet hour that skips',
      '2027-03-01T22:00',
      { night: 'defer', quietHours: { startMinute: 7 * 60, endMinute: 10 * 60, action: 'skip' } },
      'Asia/Seoul QUIET_HOURS',
    ],
    [
      'no minute of the day is left: the deadline ends it',
      '2027-03-01T22:00',
      { night: 'defer', quietHours: { startMinute: 8 * 60, endMinute: 21 * 60, action: 'defer' } },
      'Asia/Seoul DEADLINE',
    ],
    [
      'a deadline before the morning',
      '2027-03-01T22:00',
      { night: 'defer', deadline: { months: 0, days: 0, ms: 3_600_000 } },
      'Asia/Seoul DEADLINE',
    ],
    [
      'a deadline at the very end of the night',
      '2027-03-01T22:00',
      { night: 'defer', deadline: { months: 0, days: 0, ms: 36_000_000 } },
      'Asia/Seoul 2027-03-01T23:00Z',
    ],
  ])('%s', (_name, local, policy, expected) => {
    expect(outcomes(ad(local, policy))).toEqual([expected]);
  });

  it('judges each recipient by their own clock', () => {
    const campaign = aroundTheWorld(
      '2027-03-01T09:00',
      { night: 'defer', passedZone: { kind: 'send-now' } },
      { messageType: 'AD' },
    );
    const plan = aPlan(campaign, '2027-03-01T12:00Z', { audience: everywhere });
    // 21:00 in Seoul when it is sent now, 13:00 in Berlin.
    expect(cellIn(plan, 'Asia/Seoul')).toMatchObject({
      night: { kind: 'deferred' },
      dueAt: Date.parse('2027-03-01T23:00Z'),
    });
    expect(cellIn(plan, 'Europe/Berlin')).toMatchObject({
      night: { kind: 'outside' },
      dueAt: Date.parse('2027-03-01T12:00Z'),
    });
  });

  it('says that the push service leaves out users without night consent, and warns of a missing (광고) where Korea may be meant', () => {
    const codes = (plan: Plan): string[] => plan.warnings.map((warning) => warning.code);
    expect(codes(ad('2027-03-01T22:00', {}))).toEqual(['NIGHT_CONSENT_ONLY', 'NO_AD_LABEL']);
    expect(codes(ad('2027-03-01T12:00', {}))).toEqual(['NO_AD_LABEL']);
    const labelled = { messageType: 'AD' as const, message: { default: { content: '(광고) sale' } } };
    const now = '2027-02-01T00:00Z';
    expect(codes(aPlan(aCampaign({ kind: 'now' }, labelled), now))).toEqual([]);
    const toFrance = { messageType: 'AD' as const, audience: { ...everybody, country: ['FR'] } };
    expect(codes(aPlan(aCampaign({ kind: 'now' }, toFrance), now))).toEqual([]);
  });

  it('leaves a NOTIF alone at night, but not in quiet hours', () => {
    const at = { kind: 'wall', local: '2027-03-01T22:00', zone: 'Asia/Seoul' } as const;
    expect(outcomes(aPlan(aCampaign(at, { policy: { night: 'skip' } }), '2027-02-01T00:00Z'))).toEqual([
      'Asia/Seoul 2027-03-01T13:00Z',
    ]);
    const quietHours = { startMinute: 22 * 60, endMinute: 60, action: 'defer' } as const;
    expect(outcomes(aPlan(aCampaign(at, { policy: { quietHours } }), '2027-02-01T00:00Z'))).toEqual([
      'Asia/Seoul 2027-03-01T16:00Z',
    ]);
  });
});

describe('lateness at planning (planning.md §4)', () => {
  const late = (minutes: number, policy: Partial<Policy> = {}): string[] => {
    const at = Date.parse('2027-03-01T10:00Z');
    return outcomes(
      aPlan(aCampaign({ kind: 'instant', at }, { policy }), new Date(at + minutes * 60_000).toISOString()),
    );
  };
  it('sends what is late by no more than lateness.max, with the due it had', () => {
    expect(late(30)).toEqual(['Asia/Seoul 2027-03-01T10:00Z']);
  });
  it('expires what is later than that', () => {
    expect(late(31)).toEqual(['Asia/Seoul expired']);
  });
  it('sends it all the same where the policy says send', () => {
    expect(late(600, { lateness: { maxMs: 0, beyond: 'send' } })).toEqual(['Asia/Seoul 2027-03-01T10:00Z']);
  });
});

describe('what is late beyond its deadline', () => {
  const at = Date.parse('2027-03-01T10:00Z');
  const policy = {
    lateness: { maxMs: 0, beyond: 'send' },
    deadline: { months: 0, days: 0, ms: 3_600_000 },
  } as const;
  const late = (minutes: number): Plan =>
    aPlan(aCampaign({ kind: 'instant', at }, { policy }), new Date(at + minutes * 60_000).toISOString());

  it('is skipped as the check before send would skip it, whatever lateness says', () => {
    expect(outcomes(late(60))).toEqual(['Asia/Seoul 2027-03-01T10:00Z']);
    expect(outcomes(late(61))).toEqual(['Asia/Seoul DEADLINE']);
  });
});

describe('a passed zone that goes the next day', () => {
  // In New York 02:30 of the 14th of March does not exist; the campaign comes on the 13th at noon there.
  const planned = (policy: Partial<Policy>): Plan =>
    aPlan(
      aroundTheWorld('2027-03-13T02:30', { passedZone: { kind: 'next-day' }, ...policy }),
      '2027-03-13T17:00Z',
      {
        audience: everywhere,
      },
    );

  it("shows what DST makes of that day's wall time", () => {
    expect(cellIn(planned({}), 'America/New_York')).toMatchObject({
      dst: 'moved-forward',
      passed: { kind: 'next-day' },
      localReading: { date: '2027-03-14', time: '03:30' },
    });
    expect(cellIn(planned({ dst: { gap: 'skip', overlap: 'first' } }), 'America/New_York')).toMatchObject({
      dst: 'skipped',
      skipped: 'DST_GAP',
    });
    expect(cellIn(planned({}), 'Europe/Berlin')).toMatchObject({ dst: 'exact' });
  });

  it('shows the day that was left out for its gap, not the one asked for', () => {
    const skipping = planned({ dst: { gap: 'skip', overlap: 'first' } });
    expect(cellIn(skipping, 'America/New_York')).toMatchObject({
      passed: { kind: 'next-day' },
      dstLocal: '2027-03-14T02:30',
      localReading: { date: '2027-03-14', time: '03:30' },
    });
  });

  it('goes on to the day after where the gap is over too', () => {
    // 03:15 on the 14th: its 02:30 never came and never will.
    const after = (gap: 'skip' | 'reject' | 'forward'): unknown => {
      const policy = { passedZone: { kind: 'next-day' }, dst: { gap, overlap: 'first' } } as const;
      const alone = { audience: users('newYork') };
      const plan = aPlan(aroundTheWorld('2027-03-13T02:30', policy, alone), '2027-03-14T07:15Z', {
        audience: everywhere,
      });
      const { date, time } = cellIn(plan, 'America/New_York').localReading;
      return `${date} ${time}`;
    };
    expect([after('skip'), after('reject')]).toEqual(['2027-03-15 02:30', '2027-03-15 02:30']);
    expect(after('forward')).toBe('2027-03-14 03:30');
  });

  it('refuses the campaign where that wall time is one to reject, and names it', () => {
    expect(planned({ dst: { gap: 'reject', overlap: 'first' } }).refusal).toMatchObject({
      code: 'DST_GAP',
      text: expect.stringContaining('2027-03-14T02:30 in America/New_York') as string,
    });
  });

  it('warns where the deadline comes before it', () => {
    const { warnings } = planned({ deadline: { months: 0, days: 0, ms: 12 * 3_600_000 } });
    expect(warnings.map(({ code }) => code)).toEqual(['NEXT_DAY_PAST_DEADLINE']);
    expect(planned({}).warnings).toEqual([]);
  });
});

describe('what is late and comes to lie in a window', () => {
  it('is judged by the clock at which it goes, not at which it was due', () => {
    const at = Date.parse('2027-03-01T11:45Z');
    const late = (night: Policy['night']): string[] =>
      outcomes(
        aPlan(
          aCampaign({ kind: 'instant', at }, { messageType: 'AD', policy: { night } }),
          '2027-03-01T12:05Z',
        ),
      );
    expect(late('skip')).toEqual(['Asia/Seoul NIGHT']);
    expect(late('defer')).toEqual(['Asia/Seoul 2027-03-01T23:00Z']);
    expect(late('consented')).toEqual(['Asia/Seoul 2027-03-01T11:45Z']);
  });
});
