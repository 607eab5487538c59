import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecast, missesOf } from './forecast.js';
import type { LoadGroup } from './load-group.js';

const NOW = Date.parse('2027-03-01T00:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function aGroup(change: Partial<LoadGroup> = {}): LoadGroup {
  const dueAt = change.dueAt ?? NOW + HOUR;
  return {
    serviceId: 'shop',
    campaign: 'sale',
    occurrence: 'once',
    zone: 'Asia/Seoul',
    requests: 60,
    at: dueAt,
    dueAt,
    deadlineAt: dueAt + 24 * HOUR,
    maxLateMs: 30 * MINUTE,
    beyond: 'expire',
    ...change,
  };
}

const of = (groups: LoadGroup[], ratePerSecond = 1) =>
  forecast([{ serviceId: 'shop', ratePerSecond }], groups, NOW);

describe('a forecast', () => {
  it('says when the last request of each group leaves, and how late that is', () => {
    const { groups, late } = of([aGroup({ requests: 61 })]);
    expect(groups).toMatchObject([{ leavesAt: NOW + HOUR + MINUTE, lateMs: MINUTE }]);
    expect(late).toEqual([]);
  });

  it('a reservation that is handed off ahead is not late, however long its queue', () => {
    const { groups, late } = of([aGroup({ requests: 1_000, at: NOW })]);
    expect([groups[0]?.lateMs, late]).toEqual([0, []]);
  });

  it('names a campaign that misses lateness.max, by how much, and what would help', () => {
    const { late } = of([aGroup({ requests: 3_601 })]);
    expect(late).toEqual([
      {
        serviceId: 'shop',
        campaign: 'sale',
        occurrence: 'once',
        dueAt: NOW + HOUR,
        lastLeavesAt: NOW + 2 * HOUR,
        lateMs: HOUR,
        maxLateMs: 30 * MINUTE,
        beyond: 'expire',
        requests: 3_601,
        missesLateness: { byMs: 30 * MINUTE, requests: 3_601 },
        missesDeadline: null,
        // 3 600 waits in half an hour: two a second.
        waysOut: { ratePerSecond: 2, pace: { perMinute: 60, minutes: 61 }, jitterMinutes: null },
      },
    ]);
  });

  it('names one that misses its deadline', () => {
    const deadlineAt = NOW + HOUR + 10 * MINUTE;
    const [late] = of([aGroup({ requests: 1_201, deadlineAt })]).late;
    expect(late).toMatchObject({
      missesLateness: null,
      missesDeadline: { byMs: 10 * MINUTE, requests: 1_201 },
      waysOut: { ratePerSecond: 2, pace: null },
    });
  });

  it('jitter helps where zones fall on one instant, and each alone leaves in time', () => {
    const zones = ['Asia/Seoul', 'Asia/Tokyo', 'Asia/Pyongyang'].map((zone) =>
      aGroup({ zone, requests: 1_200 }),
    );
    const [late] = of(zones).late;
    expect(late?.waysOut).toEqual({
      ratePerSecond: 2,
      pace: { perMinute: 60, minutes: 60 },
      jitterMinutes: 60,
    });
    expect(
      of([aGroup({ requests: 3_000 }), aGroup({ zone: 'Asia/Tokyo', requests: 10 })]).late[0]?.waysOut
        .jitterMinutes,
    ).toBeNull();
  });

  it('a pace leaves room for what others of the project send meanwhile', () => {
    const others = aGroup({ campaign: 'news', requests: 40, dueAt: NOW + HOUR + 5 * MINUTE });
    expect(of([aGroup({ requests: 3_600 }), others]).late[0]?.waysOut.pace).toEqual({
      perMinute: 20,
      minutes: 180,
    });
  });

  it('keeps projects apart, and leaves out those without load', () => {
    const groups = [aGroup({ requests: 3_600 }), aGroup({ serviceId: 'news', campaign: 'n', requests: 1 })];
    const projects = ['shop', 'news', 'idle'].map((serviceId) => ({ serviceId, ratePerSecond: 1 }));
    const found = forecast(projects, groups, NOW);
    expect(found.groups.map(({ group, lateMs }) => [group.serviceId, lateMs])).toEqual([
      ['shop', 3_599_000],
      ['news', 0],
    ]);
  });

  it('the worst comes first', () => {
    const [first, second] = of([
      aGroup({ campaign: 'early', requests: 3_000 }),
      aGroup({ campaign: 'behind', requests: 3_000, dueAt: NOW + HOUR + MINUTE }),
    ]).late;
    expect([first?.campaign, second?.campaign]).toEqual(['behind', 'early']);
  });
});

const group = fc
  .record({
    campaign: fc.constantFrom('a', 'b', 'c'),
    zone: fc.constantFrom('Asia/Seoul', 'Europe/Paris'),
    requests: fc.integer({ min: 1, max: 500 }),
    minute: fc.integer({ min: 0, max: 30 }),
    maxLate: fc.integer({ min: 0, max: 5 }),
  })
  .map(({ minute, maxLate, ...rest }) =>
    aGroup({ ...rest, dueAt: NOW + minute * MINUTE, maxLateMs: maxLate * MINUTE, deadlineAt: null }),
  );

describe('ways out', () => {
  const misses = (groups: LoadGroup[], rate: number): number =>
    of(groups, rate).groups.filter((one) => missesOf(one).lateness > 0).length;

  it('the rate is the least that keeps every campaign of the project within its bounds', () => {
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 1, maxLength: 15 }),
        fc.integer({ min: 1, max: 5 }),
        (groups, rate) => {
          const [late] = of(groups, rate).late;
          const least = late?.waysOut.ratePerSecond;
          if (least === undefined || least === null) return;
          expect(least).toBeGreaterThan(rate);
          expect(misses(groups, least)).toBe(0);
          expect(misses(groups, least - 1)).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('at the pace the requests of the campaign fit into every minute beside the others', () => {
    fc.assert(
      fc.property(
        fc.array(group, { minLength: 1, maxLength: 15 }),
        fc.integer({ min: 1, max: 5 }),
        (groups, rate) => {
          for (const { campaign, waysOut } of of(groups, rate).late) {
            if (waysOut.pace === null) continue;
            const { perMinute, minutes } = waysOut.pace;
            const first = Math.min(...groups.filter((one) => one.campaign === campaign).map(({ at }) => at));
            for (let minute = 0; minute < minutes; minute += 1) {
              const at = first + minute * MINUTE;
              const others = groups.filter((one) => one.campaign !== campaign && one.at === at);
              const beside = others.reduce((sum, { requests }) => sum + requests, 0);
              expect(perMinute + beside).toBeLessThanOrEqual(rate * 60);
            }
          }
        },
      ),
    );
  });
});
