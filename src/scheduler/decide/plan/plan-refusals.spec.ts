// What cannot be planned at all (planning.md §9, "Refusals"), one by one and in their order.
import { describe, expect, it } from 'vitest';
import { aroundTheWorld } from '../../../../test/support/planning/around-the-world.js';
import {
  aCampaign,
  aPlan,
  aProject,
  channel,
  everybody,
  rules,
  users,
} from '../../../../test/support/planning/planning.js';
import type { Audience, Campaign, Delivery, Segment } from './campaign.js';
import { planRefusal, ruleRefusal } from './plan-refusals.js';
import { noFacts, type Plan } from './plan-types.js';

const NOW = '2027-02-28T00:00Z';
const input = (campaign: Campaign, defaultZone = 'Asia/Seoul') => ({
  campaign,
  project: aProject({ defaultZone }),
  audience: noFacts,
  now: Date.parse(NOW),
  rules,
  revision: 1,
});
const pointed = (campaign: Campaign, defaultZone?: string): string | undefined => {
  const refusal = planRefusal(input(campaign, defaultZone));
  return refusal && `${refusal.code} ${refusal.pointer}`;
};
const recipient = (segments: readonly Segment[]): Delivery => ({
  kind: 'recipient',
  local: '2027-03-01T09:00',
  segments,
});
const ago = (minutes: number): Delivery => ({ kind: 'instant', at: Date.parse(NOW) - minutes * 60_000 });
const byCountry = { split: { deviceType: false, country: true } };

describe('a campaign', () => {
  it.each<[string, Campaign, string]>([
    [
      'an unknown zone',
      aCampaign({ kind: 'wall', local: '2027-03-01T09:00', zone: 'Asia/Soul' }),
      'UNKNOWN_ZONE',
    ],
    [
      'an unknown floor',
      aroundTheWorld('2027-03-01T09:00', { passedZone: { kind: 'floor', zone: 'Here' } }),
      'UNKNOWN_ZONE',
    ],
    [
      'a split by a country nobody named',
      aCampaign({ kind: 'now' }, { policy: { split: { deviceType: false, country: true } } }),
      'SPLIT_NEEDS_COUNTRY',
    ],
    [
      'a standing message that is over',
      aCampaign({ kind: 'schedule', scheduleCode: 'X', until: 0 }),
      'UNTIL_PASSED',
    ],
  ])('refuses %s', (_name, campaign, code) => {
    expect(aPlan(campaign, '2027-02-01T00:00Z')).toMatchObject({ occurrences: [], refusal: { code } });
  });

  const schedule = { kind: 'schedule', scheduleCode: 'WEEKLY' } as const;
  const cases: [what: string, Campaign, refused: string | undefined][] = [
    ['is planned', aCampaign({ kind: 'now' }), undefined],
    [
      'names no audience, and no segments',
      aCampaign({ kind: 'now' }, { audience: null }),
      'AUDIENCE_MISSING /audience',
    ],
    [
      'has its whole audience in segments',
      aCampaign(recipient([{ zone: 'Asia/Seoul', audience: users('anna') }]), { audience: null }),
      undefined,
    ],
    [
      'names a zone that is none',
      aCampaign({ kind: 'wall', local: '2027-03-01T09:00', zone: 'Asia/Soul' }),
      'UNKNOWN_ZONE /delivery/zone',
    ],
    [
      'has a segment in a zone that is none, which goes by the fallback',
      aCampaign(recipient([{ zone: 'Asia/Soul', audience: users('anna') }]), { audience: null }),
      undefined,
    ],
    [
      'names a floor that is none',
      aCampaign(recipient([]), { policy: { passedZone: { kind: 'floor', zone: 'Here' } } }),
      'UNKNOWN_ZONE /policy/passedZone',
    ],
    [
      'splits by a country that nobody named',
      aCampaign({ kind: 'now' }, { policy: byCountry }),
      'SPLIT_NEEDS_COUNTRY /policy/split',
    ],
    [
      'splits by countries that it names',
      aCampaign({ kind: 'now' }, { audience: channel('vip', 'KR'), policy: byCountry }),
      undefined,
    ],
    [
      'splits by country, and leaves naming them to its segments, which all do',
      aCampaign(recipient([{ zone: 'Asia/Seoul', audience: channel('vip', 'KR') }]), {
        audience: null,
        policy: byCountry,
      }),
      undefined,
    ],
    [
      'splits by country, which one of its segments does not name',
      aCampaign(
        recipient([
          { zone: 'Asia/Seoul', audience: { ...users('anna'), country: ['KR'] } },
          { zone: 'Asia/Tokyo', audience: users('ben') },
        ]),
        { audience: null, policy: byCountry },
      ),
      'SPLIT_NEEDS_COUNTRY /policy/split',
    ],
    ['is late by no more than it may be', aCampaign(ago(30)), undefined],
    ['is over by more than that', aCampaign(ago(31)), 'TIME_PASSED /delivery/at'],
    [
      'is over on the clock of its zone',
      aCampaign({ kind: 'wall', local: '2027-02-28T08:29', zone: 'Asia/Seoul' }),
      'TIME_PASSED /delivery/at',
    ],
    [
      'is over, and goes however late it is',
      aCampaign(ago(31), { policy: { lateness: { maxMs: 0, beyond: 'send' } } }),
      undefined,
    ],
    [
      'is over on every recipient’s clock, where passedZone decides',
      aCampaign({ kind: 'recipient', local: '2027-02-20T09:00' }),
      undefined,
    ],
    [
      'comes back, though its first time is over',
      aCampaign({ kind: 'instant', at: Date.parse(NOW) - 90 * 60_000, recurrence: 'FREQ=DAILY' }),
      undefined,
    ],
    ['stands until now', aCampaign({ ...schedule, until: Date.parse(NOW) }), 'UNTIL_PASSED /delivery/until'],
    ['stands a moment longer', aCampaign({ ...schedule, until: Date.parse(NOW) + 1 }), undefined],
    ['stands for good', aCampaign(schedule), undefined],
  ];
  it.each(cases)('%s', (_what, campaign, refused) => {
    expect(pointed(campaign)).toBe(refused);
  });

  it('of a project whose own zone is none is refused before all else, with what a zone is', () => {
    const campaign = aCampaign({ kind: 'now' }, { audience: null, policy: byCountry });
    expect(planRefusal(input(campaign, 'Mars/Base'))).toEqual({
      code: 'UNKNOWN_ZONE',
      text: '"Mars/Base" is no zone of the tz database, such as Asia/Seoul',
      pointer: '',
    });
  });
});

function planned(audience: Audience | null, segments: readonly Segment[]): Plan {
  return aPlan(aCampaign(recipient(segments), { audience }), NOW);
}

describe('segments (planning.md §2)', () => {
  it.each<[string, Audience | null, Segment[], boolean]>([
    [
      'the same channel twice',
      null,
      [
        { zone: 'Asia/Seoul', audience: channel('vip') },
        { zone: 'Asia/Tokyo', audience: channel('vip') },
      ],
      true,
    ],
    [
      'the same channel in countries that do not meet',
      null,
      [
        { zone: 'Asia/Seoul', audience: channel('vip', 'KR') },
        { zone: 'Asia/Tokyo', audience: channel('vip', 'JP') },
      ],
      false,
    ],
    [
      'two channels',
      null,
      [
        { zone: 'Asia/Seoul', audience: channel('kr') },
        { zone: 'Asia/Tokyo', audience: channel('jp') },
      ],
      false,
    ],
    [
      'everybody and a channel',
      null,
      [
        { zone: 'Asia/Seoul', audience: everybody },
        { zone: 'Asia/Tokyo', audience: channel('jp') },
      ],
      true,
    ],
    [
      'a channel and ids',
      null,
      [
        { zone: 'Asia/Seoul', audience: channel('kr') },
        { zone: 'Asia/Tokyo', audience: users('anna') },
      ],
      true,
    ],
    [
      'the whole audience and a segment of it without countries',
      channel('vip'),
      [{ zone: 'Asia/Seoul', audience: channel('vip') }],
      true,
    ],
  ])('overlaps: %s', (_name, audience, segments, refused) => {
    expect(planned(audience, segments).refusal?.code).toBe(refused ? 'SEGMENTS_OVERLAP' : undefined);
  });

  it.each<[string, Audience | null, Audience[], pointer: string, other: string]>([
    [
      'the first segment it meets',
      null,
      [channel('b'), channel('a'), channel('a'), channel('a')],
      '/delivery/segments/2/audience',
      '/delivery/segments/1:',
    ],
    [
      "the campaign's own audience",
      channel('a'),
      [channel('b'), channel('a', 'KR')],
      '/delivery/segments/1/audience',
      '/audience:',
    ],
  ])('that overlap are refused with %s', (_what, own, segments, pointer, other) => {
    const at = segments.map((audience) => ({ zone: 'Asia/Seoul', audience }));
    expect(planned(own, at).refusal).toEqual({
      code: 'SEGMENTS_OVERLAP',
      text: expect.stringContaining(`may reach the same users as ${other}`) as string,
      pointer,
    });
  });
});

const seoul = (recurrence: string, local = '2027-03-01T09:00') =>
  ({ kind: 'wall', local, zone: 'Asia/Seoul', recurrence }) as const satisfies Delivery;
const plan = (delivery: Delivery, now: string): Plan =>
  aPlan(aCampaign(delivery, { audience: users('anna', 'ben') }), now);

describe('recurrences (planning.md §3)', () => {
  it.each([
    [
      "in UTC on the recipient's clock",
      {
        kind: 'recipient',
        local: '2027-03-01T09:00',
        recurrence: 'FREQ=DAILY;UNTIL=20270302T000000Z',
      } as const,
    ],
    [
      '20 000 occurrences ago',
      seoul('FREQ=DAILY;BYHOUR=9,10;BYMINUTE=0,5,10,15,20,25,30,35,40,45,50,55', '2017-03-01T09:00'),
    ],
    ['a weekday that no month counts', seoul('FREQ=MONTHLY;BYDAY=0MO')],
    ['a start of long ago', seoul('FREQ=DAILY', '1999-01-01T09:00')],
    ['nonsense', seoul('every day')],
  ])('are refused: %s', (_name, delivery) => {
    expect(plan(delivery, '2027-02-28T00:00Z').refusal).toMatchObject({
      code: 'INVALID_RECURRENCE',
      pointer: '/delivery/recurrence',
    });
  });

  it.each([
    ['FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30', 'no day of the 40 years after 2027-03-01T09:00 matches'],
    ['FREQ=YEARLY;INTERVAL=4;BYMONTH=2;BYMONTHDAY=29', 'no day of the 40 years'],
    ['FREQ=MONTHLY;INTERVAL=12;BYMONTH=5', 'no day of the 40 years'],
    ['FREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=2', 'no day of the 40 years'],
    ['FREQ=MONTHLY;BYDAY=5MO;BYMONTHDAY=1', 'no day of the 40 years'],
    ['FREQ=YEARLY;BYWEEKNO=53;BYMONTH=6', 'no day of the 40 years'],
    ['FREQ=HOURLY;INTERVAL=168;BYDAY=TU', 'no day of the 40 years'],
    [
      'FREQ=WEEKLY;BYDAY=WE;UNTIL=20270302T090000',
      'UNTIL=20270302T090000" ends before its first occurrence, 2027-03-03T09:00',
    ],
    [
      'FREQ=DAILY;UNTIL=20260101T000000Z',
      'UNTIL=20260101T000000Z" ends before its first occurrence, 2027-03-01T09:00',
    ],
    // Midnight in Seoul is 15:00 the day before in UTC: an hour late for it.
    [
      'FREQ=DAILY;BYHOUR=0;BYMINUTE=0;UNTIL=20270301T140000Z',
      'UNTIL=20270301T140000Z" ends before its first occurrence, 2027-03-02T00:00',
    ],
  ])('that never fire are refused as such: %s', (rule, text) => {
    expect(plan(seoul(rule), '2027-02-28T00:00Z').refusal).toEqual({
      code: 'RECURRENCE_NEVER_FIRES',
      text: expect.stringContaining(text) as string,
      pointer: '/delivery/recurrence',
    });
  });

  it('are judged as to how long ago they began at their first planning alone', () => {
    const old = seoul('FREQ=DAILY', '1999-01-01T09:00');
    const refused = (after: string | undefined): string | undefined =>
      ruleRefusal(old, old.recurrence, { rules, now: Date.parse(NOW), after })?.text;
    expect(refused(undefined)).toBe('it starts more than ten years ago: give a later start');
    expect(refused('2027-02-27T09:00')).toBeUndefined();
  });

  it('are none of a one-shot', () => {
    for (const delivery of [{ kind: 'now' }, { kind: 'instant', at: Date.parse(NOW) }] satisfies Delivery[])
      expect(planRefusal(input(aCampaign(delivery)))).toBeUndefined();
  });
});
