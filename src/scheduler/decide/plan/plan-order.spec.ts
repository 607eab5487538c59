import { describe, expect, it } from 'vitest';
import {
  aCampaign,
  aPlan,
  aProject,
  cellIn,
  cellsOf,
  channel,
  iso,
  knowing,
  onlyCell,
  rules,
  users,
} from '../../../../test/support/planning.js';
import type { Delivery } from './campaign.js';
import { placeOf } from '../timing/jitter.js';
import { planHash } from './plan-hash.js';
import { noFacts, type PlannedCell } from './plan-types.js';
import type { Policy } from '../timing/policy.js';

const SEOUL = 'Asia/Seoul';
const quiet = (start: number, end: number): Policy['quietHours'] => ({
  startMinute: start * 60,
  endMinute: end * 60,
  action: 'defer',
});

/** A cell in Seoul, of a campaign that another zone takes part in. */
function inSeoul(local: string, now: string, policy: Partial<Policy>, messageType: 'AD' | 'NOTIF' = 'NOTIF') {
  const facts = knowing({ anna: SEOUL, emil: 'America/New_York' });
  const delivery: Delivery = { kind: 'recipient', local };
  const campaign = aCampaign(delivery, { messageType, audience: users('anna', 'emil'), policy });
  return cellIn(aPlan(campaign, now, { audience: facts }), SEOUL);
}

const told = (cell: PlannedCell): string => cell.skipped ?? iso(cell.dueAt);

// Each case comes out otherwise where two neighbours change places.
describe('the order of decisions (planning.md §4)', () => {
  it('DST before passed zone: a wall time in a gap is over when what it was moved to is', () => {
    const delivery: Delivery = { kind: 'recipient', local: '2027-03-14T02:30' };
    const campaign = aCampaign(delivery, { audience: users('emil') });
    const audience = knowing({ emil: 'America/New_York' });
    // 03:15 of the new offset, which was 02:15 an hour of the old one ago.
    const before = onlyCell(aPlan(campaign, '2027-03-14T07:15Z', { audience }));
    expect([told(before), before.dst, before.passed.kind]).toEqual([
      '2027-03-14T07:30Z',
      'moved-forward',
      'not-passed',
    ]);
    const after = onlyCell(aPlan(campaign, '2027-03-14T07:31Z', { audience }));
    expect([told(after), after.dst, after.passed.kind]).toEqual(['PASSED_ZONE', 'moved-forward', 'skipped']);
  });

  it.each<[what: string, local: string, now: string, Partial<Policy>, due: string]>([
    [
      'passed zone before night: what is sent now is sent at night, and so deferred',
      '2027-03-01T10:00',
      '2027-03-01T13:00Z',
      { passedZone: { kind: 'send-now' }, night: 'defer' },
      '2027-03-01T23:00Z',
    ],
    [
      'passed zone before night: a floor that falls into it is deferred',
      '2027-03-01T10:00',
      '2027-03-01T02:00Z',
      { passedZone: { kind: 'floor', zone: 'America/New_York' }, night: 'defer' },
      '2027-03-01T23:00Z',
    ],
    [
      'passed zone before quiet hours: the next day has its own',
      '2027-03-01T10:00',
      '2027-03-01T02:00Z',
      { passedZone: { kind: 'next-day' }, quietHours: quiet(9, 11), deadline: { months: 0, days: 2, ms: 0 } },
      '2027-03-02T02:00Z',
    ],
    [
      'passed zone before the deadline, which counts from what was asked for',
      '2027-03-01T10:00',
      '2027-03-01T02:00Z',
      { passedZone: { kind: 'next-day' }, deadline: { months: 0, days: 0, ms: 3_600_000 } },
      'DEADLINE',
    ],
  ])('%s', (_what, local, now, policy, due) => {
    expect(told(inSeoul(local, now, policy, 'AD'))).toBe(due);
  });

  it('night before jitter: it moves from the end of the night on, and not within it', () => {
    const cell = inSeoul(
      '2027-03-01T22:00',
      '2027-02-27T00:00Z',
      { night: 'defer', jitterMs: 600_000 },
      'AD',
    );
    const minutes = Math.floor(10 * placeOf(SEOUL));
    expect(minutes).toBeGreaterThan(0);
    expect(told(cell)).toBe(iso(Date.parse('2027-03-01T23:00Z') + minutes * 60_000));
  });

  it('jitter before pace: who was moved less is served first', () => {
    const zones = { anna: SEOUL, ben: 'Asia/Tokyo' };
    const policy = { jitterMs: 600_000, pace: { perMinute: 1 } };
    const campaign = aCampaign(
      { kind: 'recipient', local: '2027-03-01T09:00' },
      { audience: users('anna', 'ben'), policy },
    );
    const plan = aPlan(campaign, '2027-02-27T00:00Z', { audience: knowing(zones) });
    const placed = (zone: string): string =>
      iso(Date.parse('2027-03-01T00:00Z') + Math.floor(10 * placeOf(zone)) * 60_000);
    for (const cell of cellsOf(plan)) expect([told(cell), cell.paceMs]).toEqual([placed(cell.zone), 0]);
  });

  it('pace before the deadline, after both looks at the windows', () => {
    const campaign = aCampaign(
      { kind: 'wall', local: '2027-03-01T11:59', zone: SEOUL },
      {
        audience: users('anna', 'ben', 'carl'),
        policy: {
          pace: { perMinute: 1 },
          quietHours: quiet(12, 13),
          deadline: { months: 0, days: 0, ms: 3_660_000 },
        },
      },
    );
    const { runs } = onlyCell(aPlan(campaign, '2027-02-27T00:00Z', { project: aProject({ maxTo: 1 }) }));
    const chunks = runs.flatMap(({ count, dueAt, stepMs, skipped }) =>
      Array.from({ length: count }, (_, index) => skipped ?? iso(dueAt + index * stepMs)),
    );
    // 13:00 is the deadline: the third one would go at 13:01.
    expect(chunks).toEqual(['2027-03-01T02:59Z', '2027-03-01T04:00Z', 'DEADLINE']);
  });

  it('holds passed zones for the recipient clock alone: any other time in the past follows lateness', () => {
    const policy = { passedZone: { kind: 'reject' } } as const;
    for (const delivery of [
      { kind: 'wall', local: '2027-03-01T09:00', zone: SEOUL },
      { kind: 'instant', at: Date.parse('2027-03-01T00:00Z') },
    ] satisfies Delivery[]) {
      const campaign = aCampaign(delivery, { policy });
      const late = onlyCell(aPlan(campaign, '2027-03-01T00:30Z'));
      expect([late.passed.kind, late.skipped, late.expired]).toEqual(['not-passed', undefined, undefined]);
      expect(onlyCell(aPlan(campaign, '2027-03-01T00:31Z')).expired).toEqual({ lateMs: 31 * 60_000 });
    }
  });
});

describe('what else of planning.md had no test of its own', () => {
  it('planning.md §1 the names of a CHANNEL audience are never chunked', () => {
    const audience = { ...channel('a'), to: ['a', 'b', 'c', 'd', 'e'] } as ReturnType<typeof channel>;
    const plan = aPlan(aCampaign({ kind: 'now' }, { audience }), '2027-03-01T00:00Z', {
      project: aProject({ maxTo: 2 }),
    });
    expect(onlyCell(plan)).toMatchObject({ chunks: 1, target: { to: ['a', 'b', 'c', 'd', 'e'] } });
  });

  it('planning.md §9 the hash changes with the release of the zone rules and with the version of a list', () => {
    const campaign = aCampaign({ kind: 'now' });
    const now = Date.parse('2027-03-01T00:00Z');
    const plan = aPlan(campaign, '2027-03-01T00:00Z');
    const hash = planHash(plan, campaign, noFacts, now);
    const newer = { ...plan, tzdata: { ...plan.tzdata, version: '2099z' } };
    expect(planHash(newer, campaign, noFacts, now)).not.toBe(hash);
    const elsewhere = { ...plan, tzdata: { ...plan.tzdata, source: 'another directory' } };
    expect(planHash(elsewhere, campaign, noFacts, now)).toBe(hash);
    const listed = (version: string) =>
      planHash(plan, campaign, { ...noFacts, lists: { vip: { version, groups: [] } } }, now);
    expect(new Set([hash, listed('1'), listed('2')]).size).toBe(3);
  });

  it('planning.md §3 an instant is read back with its weekday, date, time and offset', () => {
    const cell = onlyCell(
      aPlan(
        aCampaign({ kind: 'wall', local: '2027-03-14T02:30', zone: 'America/New_York' }),
        '2027-03-01T00:00Z',
      ),
    );
    expect(cell.localReading).toEqual({
      weekday: 'Sun',
      date: '2027-03-14',
      time: '03:30',
      offset: '-04:00',
    });
    expect(rules.has(cell.zone)).toBe(true);
  });
});
