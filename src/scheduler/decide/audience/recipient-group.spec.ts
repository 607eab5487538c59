import { describe, expect, it } from 'vitest';
import { recipient } from '../../../../test/support/planning/around-the-world.js';
import {
  aCampaign,
  aPlan,
  cellsOf,
  channel,
  everybody,
  users,
} from '../../../../test/support/planning/planning.js';
import { cellsOfGroup, homeOf, type Group } from './recipient-group.js';

describe('split (planning.md §1)', () => {
  it('one cell for each zone, device type and country, with keys that do not depend on the others', () => {
    const campaign = aCampaign(recipient('2027-03-01T09:00'), {
      audience: channel('vip', 'KR', 'FR'),
      policy: { split: { deviceType: true, country: true } },
    });
    const plan = aPlan(campaign, '2027-02-01T00:00Z');
    expect(cellsOf(plan).map((cell) => cell.key)).toEqual([
      'Asia/Seoul|country|0|GCM|KR',
      'Asia/Seoul|country|0|APNS|KR',
      'Europe/Paris|country|0|GCM|FR',
      'Europe/Paris|country|0|APNS|FR',
    ]);
    expect(cellsOf(plan)[3]?.target).toEqual({
      type: 'CHANNEL',
      deviceType: 'APNS',
      to: ['vip'],
      country: ['FR'],
    });
  });
});

const aGroup = (overrides: Partial<Group> = {}): Group => ({
  zone: 'Asia/Seoul',
  zoneSource: 'given',
  segment: 2,
  audience: everybody,
  ...overrides,
});
const split = (by: 'deviceType' | 'country' | 'both' | 'none') => ({
  deviceType: by === 'deviceType' || by === 'both',
  country: by === 'country' || by === 'both',
});

describe('the cells of a group (planning.md §1)', () => {
  it.each([
    ['none', ['all all']],
    ['deviceType', ['GCM all', 'APNS all']],
    ['country', ['all KR', 'all JP']],
    ['both', ['GCM KR', 'GCM JP', 'APNS KR', 'APNS JP']],
  ] as const)('split by %s', (by, expected) => {
    const group = aGroup({ audience: channel('vip', 'KR', 'JP') });
    const cells = cellsOfGroup(group, split(by));
    expect(cells.map(({ deviceType, country }) => `${deviceType} ${country}`)).toEqual(expected);
    expect(cells.map(({ key }) => key)).toEqual(
      expected.map((parts) => `Asia/Seoul|given|2|${parts.replace(' ', '|')}`),
    );
  });

  it('of one kind of device are of that kind alone', () => {
    const group = aGroup({ audience: { ...everybody, deviceType: 'APNS' } });
    expect(cellsOfGroup(group, split('deviceType')).map(({ deviceType }) => deviceType)).toEqual(['APNS']);
    expect(cellsOfGroup(group, split('none'))).toMatchObject([
      { deviceType: 'all', target: { type: 'ALL', deviceType: 'APNS' } },
    ]);
  });

  it('of a group of one country are of that country, split or not', () => {
    const group = aGroup({ audience: channel('vip', 'KR', 'JP'), onlyCountry: 'JP' });
    for (const by of ['none', 'country'] as const)
      expect(cellsOfGroup(group, split(by))).toMatchObject([{ country: 'JP', target: { country: ['JP'] } }]);
  });

  it.each([
    ['everybody', aGroup(), { type: 'ALL' }],
    [
      'channels of countries',
      aGroup({ audience: channel('vip', 'KR') }),
      { type: 'CHANNEL', to: ['vip'], country: ['KR'] },
    ],
    ['users, whose ids are in the chunks', aGroup({ audience: users('anna') }), { type: 'USER' }],
    ['users of an offset', aGroup({ offsetSeconds: -12_600 }), { type: 'ALL', timezone: [-12_600] }],
    ['users of the offset 0', aGroup({ offsetSeconds: 0 }), { type: 'ALL', timezone: [0] }],
  ])('ask for %s', (_what, group, target) => {
    expect(cellsOfGroup(group, split('none'))[0]?.target).toEqual(target);
  });
});

describe("the clock of a delivery that is not on the recipient's", () => {
  const project = { defaultZone: 'Asia/Seoul' };
  it('is that of the zone it names, else that of the project', () => {
    expect(homeOf({ kind: 'wall', local: '2027-03-01T09:00', zone: 'Europe/Berlin' }, project)).toEqual({
      zone: 'Europe/Berlin',
      zoneSource: 'delivery',
    });
    for (const delivery of [
      { kind: 'now' },
      { kind: 'instant', at: 0 },
      { kind: 'schedule', scheduleCode: 'WEEKLY' },
    ] as const)
      expect(homeOf(delivery, project)).toEqual({ zone: 'Asia/Seoul', zoneSource: 'project' });
  });
});
