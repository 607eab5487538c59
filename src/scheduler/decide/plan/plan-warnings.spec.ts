// Each warning of a plan where it is due and where it is not (warnings.md, "Warnings"). Those of a message, of names and
// of a recurrence have specs of their own.
import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  channel,
  everybody,
  onlyCell,
  users,
} from '../../../../test/support/planning/planning.js';
import type { AudienceGroups } from '../audience/audience-groups.js';
import type { Policy } from '../timing/campaign-policy.js';
import type { Audience, Campaign, Delivery } from './campaign.js';
import { noFacts, type AudienceFacts, type MinuteLoad, type Plan, type PlannedCell } from './plan-types.js';
import { planWarnings } from './plan-warnings.js';

describe('the warnings of an AD', () => {
  const ad = (local: string, policy: Partial<Policy>): Plan =>
    aPlan(
      aCampaign({ kind: 'wall', local, zone: 'Asia/Seoul' }, { messageType: 'AD', policy }),
      '2027-02-01T00:00Z',
    );

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
});

const someone: AudienceGroups = {
  groups: [{ zone: 'Asia/Seoul', zoneSource: 'given', segment: 0, audience: users('anna'), recipients: 1 }],
  warnings: [],
  duplicates: 0,
  invalidZones: {},
};

interface Given {
  readonly campaign?: Campaign;
  readonly facts?: Partial<AudienceFacts>;
  readonly audience?: Partial<AudienceGroups>;
  readonly cells?: readonly PlannedCell[];
  readonly load?: readonly MinuteLoad[];
}
const warned = ({ campaign = now(), facts, audience, cells = [], load = [] }: Given): string[] =>
  planWarnings(
    { campaign, audience: { ...noFacts, ...facts } },
    { ...someone, ...audience },
    cells,
    load,
  ).map(({ code, pointer }) => `${code} ${pointer}`.trimEnd());
const now = (overrides: Parameters<typeof aCampaign>[1] = {}): Campaign =>
  aCampaign({ kind: 'now' }, overrides);
const aCell = (overrides: Partial<PlannedCell>): PlannedCell => ({
  ...onlyCell(aPlan(now(), '2027-03-01T00:00Z')),
  ...overrides,
});
const standing: Delivery = { kind: 'schedule', scheduleCode: 'WEEKLY' };
const labelled = { message: { default: { content: '(광고) sale' } } };
const quietHours = { startMinute: 0, endMinute: 60, action: 'skip' } as const;
const nextDay = { passed: { kind: 'next-day', to: 0 } } as const;
const segments = (own: Audience | null, ...audiences: Audience[]): Campaign =>
  aCampaign(
    {
      kind: 'recipient',
      local: '2027-03-01T09:00',
      segments: audiences.map((audience) => ({ zone: 'Asia/Seoul', audience })),
    },
    { audience: own },
  );

describe('a plan', () => {
  const cases: [what: string, Given, string[]][] = [
    ['with nothing to warn of', {}, []],
    ['for nobody', { audience: { groups: [] } }, ['NOBODY /audience']],
    [
      'for groups that are empty',
      { audience: { groups: someone.groups.map((group) => ({ ...group, recipients: 0 })) } },
      ['NOBODY /audience'],
    ],
    ['with ids named twice', { audience: { duplicates: 1 } }, ['DUPLICATE_IDS /audience/to']],
    ['with zones that are none', { audience: { invalidZones: { Here: 1 } } }, ['INVALID_ZONE']],
    ['with ids to be looked up', { facts: { provisional: 1, lookUps: 5 } }, ['PROVISIONAL /audience/to']],
    [
      'with ids that the push service does not know',
      { facts: { unknownUsers: 2 } },
      ['UNKNOWN_USERS /audience/to'],
    ],
    ['with ids that nobody looks up', { facts: { provisional: 1 } }, ['NOT_LOOKED_UP /audience/to']],
    [
      'with more ids than are looked up',
      { facts: { provisional: 3, lookUps: 2 } },
      ['PROVISIONAL /audience/to', 'NOT_LOOKED_UP /audience/to'],
    ],
    [
      'without the offsets in use',
      { facts: { censusMissing: true } },
      ['OFFSETS_NOT_LOOKED_UP /delivery/zone'],
    ],
    [
      'that sends at night with consent',
      { cells: [aCell({ night: { kind: 'consented' } })] },
      ['NIGHT_CONSENT_ONLY /policy/night'],
    ],
    [
      'that a pace leads into the night',
      { cells: [aCell({ nightRequests: 1 })] },
      ['NIGHT_CONSENT_ONLY /policy/night'],
    ],
    [
      'that would, but for something else',
      { cells: [aCell({ night: { kind: 'consented' }, skipped: 'QUIET_HOURS' })] },
      [],
    ],
    [
      'that stands, with quiet hours',
      { campaign: aCampaign(standing, { policy: { quietHours } }) },
      ['WINDOWS_NOT_KEPT /policy'],
    ],
    [
      'that stands, an AD with a night',
      { campaign: aCampaign(standing, { ...labelled, messageType: 'AD', policy: { night: 'skip' } }) },
      ['WINDOWS_NOT_KEPT /policy'],
    ],
    [
      'that stands, an AD with consent',
      { campaign: aCampaign(standing, { ...labelled, messageType: 'AD' }) },
      [],
    ],
    [
      'that stands, no AD and so without a night',
      { campaign: aCampaign(standing, { policy: { night: 'skip' } }) },
      [],
    ],
    ['that does not stand, with quiet hours', { campaign: now({ policy: { quietHours } }) }, []],
    [
      'whose next day comes after the deadline',
      { cells: [aCell({ ...nextDay, skipped: 'DEADLINE' })] },
      ['NEXT_DAY_PAST_DEADLINE /policy/deadline'],
    ],
    ['whose next day comes before it', { cells: [aCell(nextDay)] }, []],
    ['with something else after the deadline', { cells: [aCell({ skipped: 'DEADLINE' })] }, []],
    [
      'of two channels of every country',
      { campaign: segments(null, channel('a'), channel('b')) },
      ['CHANNELS_MAY_SHARE_USERS /delivery/segments'],
    ],
    [
      'of two channels in countries that do not meet',
      { campaign: segments(null, channel('a', 'KR'), channel('b', 'JP')) },
      [],
    ],
    [
      'of a channel, beside another of its own',
      { campaign: segments(channel('a', 'KR'), channel('b', 'KR')) },
      ['CHANNELS_MAY_SHARE_USERS /delivery/segments'],
    ],
    ['of a channel and of ids', { campaign: segments(users('anna'), channel('b', 'KR')) }, []],
    ['at its rate', { load: [{ minute: 0, requests: 600, backlog: 0 }] }, []],
    [
      'over its rate',
      {
        load: [
          { minute: 0, requests: 600, backlog: 0 },
          { minute: 60_000, requests: 601, backlog: 1 },
        ],
      },
      ['OVER_RATE'],
    ],
    [
      'of an event with a traceparent that is none',
      { campaign: { ...now(), invalidTraceparent: '"00-x"' } },
      ['INVALID_TRACEPARENT'],
    ],
  ];
  it.each(cases)('%s', (_what, given, expected) => {
    expect(warned(given)).toEqual(expected);
  });

  it.each<[string, Parameters<typeof aCampaign>[1], boolean]>([
    ['in content', { message: { default: { content: '(광고) sale' } } }, false],
    [
      'in one language',
      { message: { default: { content: 'x', i18n: { ko: { content: '(광고) x' } } } } },
      false,
    ],
    [
      'of one kind of device',
      { message: { default: { content: 'x' }, apns: { content: '(광고) x' } } },
      false,
    ],
    ['in the common languages', { message: { default: {}, i18n: { ko: { content: '(광고)' } } } }, false],
    ['not at the start', { message: { default: { content: 'sale (광고)' } } }, true],
    ['nowhere, but to no country of Korea', { audience: channel('vip', 'FR', 'JP') }, false],
    ['nowhere, to Korea among others', { audience: channel('vip', 'FR', 'KR') }, true],
    ['nowhere, to every country', { audience: everybody }, true],
    ['nowhere, of a NOTIF', { messageType: 'NOTIF' }, false],
  ])('an AD that has its label %s', (_what, overrides, missing) => {
    const codes = warned({ campaign: now({ messageType: 'AD', ...overrides }) });
    expect(codes.includes('NO_AD_LABEL /message')).toBe(missing);
  });

  it('names five zones that are none, and how many more', () => {
    const invalidZones = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((zone) => [zone, 1]));
    const [warning] = planWarnings(
      { campaign: now(), audience: noFacts },
      { ...someone, invalidZones },
      [],
      [],
    );
    expect(warning?.text).toBe(
      'no zones of the tz database: a, b, c, d, e and 2 more; who is said to live there goes by the fallback',
    );
  });

  it('lists first the warnings about the audience', () => {
    const moves = { code: 'REGISTERED_OFFSETS_MOVE', text: 'as it says', pointer: '/delivery/zone' } as const;
    expect(warned({ audience: { warnings: [moves], duplicates: 1 } })).toEqual([
      'REGISTERED_OFFSETS_MOVE /delivery/zone',
      'DUPLICATE_IDS /audience/to',
    ]);
  });
});
