import { describe, expect, it } from 'vitest';
import { cells, codes, now, planned } from '../../../../test/support/planning/audience-plans.js';
import {
  aCampaign,
  aPlan,
  aProject,
  cellsOf,
  channel,
  everybody,
  rules,
  users,
} from '../../../../test/support/planning/planning.js';
import type { Audience, Campaign } from '../plan/campaign.js';
import { noFacts } from '../plan/plan-types.js';
import { audienceGroups, type AudienceGroups } from './audience-groups.js';

describe("CHANNEL and ALL on the recipient's clock (planning.md §2)", () => {
  it('source 3: one cell for each registered offset where the push service has them', () => {
    const offsets = [
      { offsetSeconds: 32_400, users: 7 },
      { offsetSeconds: -12_600, users: 2 },
    ];
    const plan = planned(everybody, undefined, { ...noFacts, offsets }, { extensions: ['target-timezone'] });
    expect(cells(plan)).toEqual([
      'UTC+09:00|registered-offset|0|all|all 7',
      'UTC-03:30|registered-offset|0|all|all 2',
    ]);
    expect(cellsOf(plan)[1]?.target).toEqual({ type: 'ALL', timezone: [-12_600] });
    expect(codes(plan)).toEqual(['REGISTERED_OFFSETS_MOVE']);
  });

  it('source 3: a count of the whole service is not that of a part of it, which nobody knows', () => {
    const facts = { ...noFacts, offsets: [{ offsetSeconds: 32_400, users: 7 }] };
    const counts = (audience: Audience, split = { deviceType: false, country: false }): unknown[] => {
      const campaign = aCampaign(
        { kind: 'recipient', local: '2027-03-01T09:00' },
        { audience, policy: { split } },
      );
      const project = aProject({ extensions: ['target-timezone'] });
      const plan = aPlan(campaign, '2027-02-01T00:00Z', { audience: facts, project });
      return [plan.totals.recipients, ...cellsOf(plan).map(({ recipients = null }) => recipients)];
    };
    expect(counts(everybody)).toEqual([7, 7]);
    expect(counts(channel('vip'))).toEqual([7, 7]);
    expect(counts({ ...everybody, country: ['KR'] })).toEqual([null, null]);
    expect(counts({ ...everybody, deviceType: 'GCM' })).toEqual([null, null]);
    expect(counts({ type: 'CHANNEL', to: ['vip', 'other'], deviceType: null, country: [] })).toEqual([
      null,
      null,
    ]);
    expect(counts(everybody, { deviceType: true, country: false })).toEqual([7, null, null]);
  });

  it("source 4: one cell for each country, by its only zone or the project's principal one", () => {
    const plan = planned(channel('vip', 'KR', 'US', 'FR', 'DE'), undefined, noFacts, {
      principalZones: { US: 'America/Chicago' },
    });
    expect(cells(plan)).toEqual([
      'Asia/Seoul|country|0|all|KR -',
      'America/Chicago|country|0|all|US -',
      'Europe/Paris|country|0|all|FR -',
      // Two zones whose clocks agree are one.
      'Europe/Berlin|country|0|all|DE -',
    ]);
    expect(plan.totals.recipients).toBeNull();
  });

  it('source 5: countries without one clock, and countries nobody knows, go by the default zone', () => {
    const plan = planned(channel('vip', 'KR', 'US', 'ZZ'));
    expect(cells(plan)).toEqual([
      'Asia/Seoul|country|0|all|KR -',
      'Asia/Seoul|fallback|0|all|all - ZONE_UNKNOWN',
    ]);
    expect(cellsOf(plan)[1]?.target).toEqual({ type: 'CHANNEL', to: ['vip'], country: ['US', 'ZZ'] });
    expect(codes(plan)).toEqual(['NO_PRINCIPAL_ZONE', 'UNKNOWN_COUNTRY']);
  });

  it('source 5: an audience without countries is one fallback cell', () => {
    expect(cells(planned(everybody))).toEqual(['Asia/Seoul|fallback|0|all|all - ZONE_UNKNOWN']);
  });

  it('segments take their countries; what is left goes by its own', () => {
    const plan = planned(channel('vip', 'KR', 'US', 'FR'), [
      { zone: 'America/Denver', audience: channel('vip', 'US') },
    ]);
    expect(cells(plan)).toEqual([
      'America/Denver|given|1|all|all -',
      'Asia/Seoul|country|0|all|KR -',
      'Europe/Paris|country|0|all|FR -',
    ]);
  });

  it('an invalid zone never spoils its neighbours', () => {
    const plan = planned(null, [
      { zone: 'America/Denver', audience: channel('us') },
      { zone: 'Amerika/Denver', audience: channel('them') },
    ]);
    expect(cells(plan)).toEqual([
      'America/Denver|given|1|all|all -',
      'Asia/Seoul|fallback|2|all|all - INVALID_ZONE',
    ]);
  });
});

describe('the clock that a delivery names (planning.md §2)', () => {
  const groupsOf = (delivery: Campaign['delivery'], audience: Audience): AudienceGroups =>
    audienceGroups({
      campaign: aCampaign(delivery, { audience }),
      project: aProject({ defaultZone: 'Asia/Seoul', extensions: ['target-timezone'] }),
      audience: { ...noFacts, offsets: [{ offsetSeconds: 0, users: 1 }] },
      rules,
      now: Date.parse(now),
    });
  const deliveries: [Campaign['delivery'], zone: string, zoneSource: string][] = [
    [{ kind: 'now' }, 'Asia/Seoul', 'project'],
    [{ kind: 'instant', at: Date.parse('2027-03-01T00:00Z') }, 'Asia/Seoul', 'project'],
    [{ kind: 'schedule', scheduleCode: 'WEEKLY' }, 'Asia/Seoul', 'project'],
    [{ kind: 'wall', local: '2027-03-01T09:00', zone: 'Europe/Berlin' }, 'Europe/Berlin', 'delivery'],
  ];
  it.each(deliveries)('%o is one group, whatever is known of zones', (delivery, zone, zoneSource) => {
    const clock = { zone, zoneSource, segment: 0 };
    for (const audience of [channel('vip', 'KR', 'US'), everybody]) {
      expect(groupsOf(delivery, audience)).toEqual({
        groups: [{ ...clock, audience }],
        warnings: [],
        duplicates: 0,
        invalidZones: {},
      });
    }
    const ofIds = groupsOf(delivery, users('anna', 'ben', 'anna'));
    expect(ofIds).toMatchObject({ groups: [{ ...clock, recipients: 2 }], duplicates: 1 });
    expect(ofIds.groups).toHaveLength(1);
  });
});
