// How large a plan becomes is counted before it is made: never less than what is planned then, and by the same numbers as a
// refusal names (planning.md §9).
import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  aProject,
  cellsOf,
  channel,
  everybody,
  knowing,
  rules,
  users,
} from '../../../../test/support/planning/planning.js';
import type { Audience, Campaign, Delivery } from './campaign.js';
import { MAX_PLANNED_CELLS, planSize, sizeRefusal } from './plan-size.js';
import { noFacts, type AudienceFacts, type PlanInput } from './plan-types.js';

const NOW = '2027-03-01T00:00Z';
const now = Date.parse(NOW);
const START = '2027-03-02T09:00';

const recipient = (recurrence?: string, segments: readonly Audience[] = []): Delivery => ({
  kind: 'recipient',
  local: START,
  ...(segments.length > 0 && { segments: segments.map((audience) => ({ zone: 'Asia/Seoul', audience })) }),
  ...(recurrence !== undefined && { recurrence }),
});
const channels = (count: number): Audience[] =>
  Array.from({ length: count }, (_, index) => channel(`c-${index}`));
const persons = (count: number): Audience[] =>
  Array.from({ length: count }, (_, index) => users(`user-${index}`));
const countries = rules
  .names()
  .slice(0, 260)
  .map((_, index) => String.fromCharCode(65 + Math.floor(index / 26), 65 + (index % 26)));
const both = { split: { deviceType: true, country: true } };
const refusalOf = (campaign: Campaign, overrides: Partial<PlanInput> = {}): string | undefined => {
  const refusal = aPlan(campaign, NOW, overrides).refusal;
  return refusal && `${refusal.code} ${refusal.pointer}`;
};

describe('a plan too large is refused before it is expanded', () => {
  const hourly = 'FREQ=HOURLY;COUNT=100000';
  it.each<[string, Campaign, string]>([
    [
      '3 000 segments of USER ids, hourly',
      aCampaign(recipient(hourly, persons(3_000)), { audience: null }),
      'TOO_MANY_CELLS /delivery/recurrence',
    ],
    [
      'segments that begin far behind the 35 days',
      aCampaign({ ...recipient(hourly, persons(3_000)), local: '2028-03-02T09:00' } as Delivery, {
        audience: null,
      }),
      'TOO_MANY_CELLS /delivery/recurrence',
    ],
    [
      'every minute, in 60 countries by device type',
      aCampaign(recipient('FREQ=HOURLY;BYMINUTE=0,10,20,30,40,50'), {
        audience: { ...everybody, country: countries.slice(0, 60) },
        policy: both,
      }),
      'TOO_MANY_CELLS /delivery/recurrence',
    ],
    [
      'one occurrence alone',
      aCampaign(
        recipient(
          undefined,
          channels(400).map((one) => ({ ...one, country: countries })),
        ),
        { audience: null, policy: both },
      ),
      'TOO_MANY_CELLS /delivery',
    ],
    [
      'ids that are repeated in millions of places',
      aCampaign(recipient(hourly), {
        audience: users(...Array.from({ length: 20_000 }, (_, n) => `user-${n}`)),
      }),
      'PLAN_TOO_LARGE /delivery/recurrence',
    ],
    [
      'names of channels that each cell repeats',
      aCampaign(recipient(hourly), {
        audience: {
          ...everybody,
          type: 'CHANNEL',
          to: Array.from({ length: 500 }, (_, n) => `${n}`.padEnd(1_000)),
        },
      }),
      'PLAN_TOO_LARGE /delivery/recurrence',
    ],
  ])('%s', (_what, campaign, code) => {
    expect(refusalOf(campaign)).toBe(code);
  });

  it('says how many cells there would be, how many may be, and what to do', () => {
    const plan = aPlan(aCampaign(recipient('FREQ=DAILY', persons(3_000)), { audience: null }), NOW);
    expect(plan.refusal?.text).toBe(
      'it would have more than 50000 cells at once: 3000 in each of 36 occurrences within 35 days; give fewer segments, countries or splits, a rarer recurrence, or several campaigns',
    );
  });

  it('takes what stays within the bound, which a setting moves', () => {
    const campaign = aCampaign(recipient('FREQ=DAILY', persons(1_000)), { audience: null });
    expect(refusalOf(campaign)).toBeUndefined();
    expect(refusalOf(campaign, { mostCells: 1_000 })).toBe('TOO_MANY_CELLS /delivery/recurrence');
  });
});

describe('a recurrence that goes on', () => {
  it('is not refused: it plans as many occurrences at once as fit, and the others follow at once', () => {
    const campaign = aCampaign(recipient('FREQ=HOURLY', persons(300)), { audience: null });
    const plan = aPlan(campaign, NOW, { after: '2027-03-02T08:00', mostCells: 1_000 });
    expect(plan.refusal).toBeUndefined();
    expect(plan.occurrences.map(({ occurrence }) => occurrence)).toEqual([
      START,
      '2027-03-02T10:00',
      '2027-03-02T11:00',
    ]);
    expect(plan.nextLookAt).toBe(now);
  });
});

describe('a recurrence that planning refuses', () => {
  it.each(['FREQ=DAILY;UNTIL=20270230', 'FREQ=DAILY;UNTIL=20270630T000000Z'])(
    '%s is counted once',
    (rule) => {
      const campaign = aCampaign(recipient(rule), { audience: users('anna') });
      expect(planSize({ campaign, now, rules }).occurrences).toBe(1);
      expect(refusalOf(campaign)).toBe('INVALID_RECURRENCE /delivery/recurrence');
    },
  );
});

describe('the count', () => {
  const offsets = [-18_000, 0, 32_400].map((offsetSeconds) => ({ offsetSeconds, users: 5 }));
  const census: AudienceFacts = { ...noFacts, offsets };
  const own: Audience[] = [
    everybody,
    { ...everybody, country: ['KR', 'US', 'FR'] },
    channel('vip', 'KR', 'JP'),
    { ...users('anna', 'ben', 'carl'), country: ['KR', 'US'] },
    { ...everybody, deviceType: 'GCM', country: ['KR', 'BR'] },
  ];
  const segments: Audience[][] = [
    [],
    [channel('other')],
    [users('dora'), users('emil')],
    [channel('vip', 'KR')],
  ];
  const splits = [false, true].flatMap((deviceType) =>
    [false, true].map((country) => ({ deviceType, country })),
  );
  const recurrences = [
    undefined,
    'FREQ=DAILY',
    'FREQ=HOURLY;COUNT=30',
    'FREQ=WEEKLY;BYDAY=MO,WE',
    'FREQ=DAILY;UNTIL=20270315',
  ];
  const projects = [aProject(), aProject({ extensions: ['target-timezone'] })];
  const zones = { ...knowing({ anna: 'Asia/Seoul', ben: 'Europe/Berlin' }), offsetsKnown: 2 };

  it('is never less than what is planned, and no more than twice as much without segments', () => {
    const short: string[] = [];
    let planned = 0;
    for (const audience of own) {
      for (const given of segments) {
        for (const split of splits) {
          for (const recurrence of recurrences) {
            for (const project of projects) {
              const campaign = aCampaign(recipient(recurrence, given), { audience, policy: { split } });
              const facts = audience.type === 'USER' ? zones : census;
              const plan = aPlan(campaign, NOW, { audience: facts, project });
              if (plan.refusal !== undefined) continue;
              planned += 1;
              const size = planSize({ campaign, now, rules, project, audience: facts });
              const cells = cellsOf(plan).length;
              const ids = cellsOf(plan).reduce(
                (sum, { target, recipients = 0 }) => sum + (target.type === 'USER' ? recipients : 0),
                0,
              );
              const isShort = size.cells < cells || size.ids < ids;
              if (isShort || (given.length === 0 && size.cells > 2 * cells + size.occurrences))
                short.push(JSON.stringify({ audience, given, split, recurrence, size, cells, ids }));
            }
          }
        }
      }
    }
    expect(short).toEqual([]);
    expect(planned).toBeGreaterThan(250);
  });

  it('of a campaign that fires once, on one clock, is one cell', () => {
    const size = planSize({ campaign: aCampaign({ kind: 'now' }), now, rules });
    expect(size).toMatchObject({ cellsEach: 1, occurrences: 1, cells: 1 });
    expect(sizeRefusal(size, aCampaign({ kind: 'now' }), MAX_PLANNED_CELLS)).toBeUndefined();
  });
});
