// Whether the other side of a row is kept as it would have to be.
import { describe, expect, it } from 'vitest';
import type { GroupKey, ReportFilter } from './grouped-rows.js';
import { withCampaign, withWeekBefore } from './comparison.js';

const DAY_MS = 86_400_000;
const NOW = Date.parse('2027-06-01T12:00:00Z');
const KEPT = { sendsMs: 100 * DAY_MS, reportsMs: 1_100 * DAY_MS };
const at = (text: string): number => Date.parse(`${text}Z`);

function weekBefore(by: readonly GroupKey[], from: string, to: string, filter: Partial<ReportFilter> = {}) {
  const range = { from: at(from), to: at(to) };
  const ask = { by, filter: { serviceIds: null, ...range, ...filter } };
  return withWeekBefore(ask, range, { now: NOW, kept: KEPT });
}

describe('a week before', () => {
  it('asks for the same 168 hours earlier, over a change of any clock', () => {
    const { filter, against, notCompared } = weekBefore(['day'], '2027-03-29T00:00', '2027-04-05T00:00', {
      zone: 'Europe/Paris',
    });
    const expected = { from: at('2027-03-22T00:00'), to: at('2027-03-29T00:00'), zone: 'Europe/Paris' };
    expect(filter).toMatchObject(expected);
    expect(against).toMatchObject({ filter: expected, laterHours: 168 });
    expect(notCompared).toBeNull();
  });

  it('names the time that a row stands beside, and leaves the other keys', () => {
    const { keyOf } = weekBefore(['day', 'hour'], '2027-05-03T00:00', '2027-05-10T00:00');
    expect(keyOf({ day: '2027-05-03', zone: 'UTC' })).toEqual({ day: '2027-04-26', zone: 'UTC' });
    expect(keyOf({ hour: '2027-01-02T00:00:00Z', code: null })).toEqual({
      hour: '2026-12-26T00:00:00Z',
      code: null,
    });
    expect(keyOf({ minute: '2027-05-03T09:30:00Z' })).toEqual({ minute: '2027-04-26T09:30:00Z' });
  });

  it('has no minutes where they have become hours, and no hours where they have become days', () => {
    // 90 days ago: 3 March; 366 days ago: 31 May 2026.
    const minutes = weekBefore(['minute', 'zone'], '2027-03-09T00:00', '2027-03-12T00:00');
    expect(minutes.notComparedOf({ minute: '2027-03-09T23:59:00Z' })).toBe('KEPT_COARSER');
    expect(minutes.notComparedOf({ minute: '2027-03-10T00:00:00Z' })).toBeNull();
    expect(minutes.notCompared).toBeNull();
    expect(minutes.against?.filter.from).toBe(at('2027-03-03T00:00'));
    const hours = weekBefore(['hour'], '2027-03-09T00:00', '2027-03-12T00:00');
    expect(hours.notComparedOf({ hour: '2027-03-09T00:00:00Z' })).toBeNull();
    expect(weekBefore(['hour'], '2026-06-01T00:00', '2026-06-05T00:00').against).toBeUndefined();
    const days = weekBefore(['day'], '2026-06-01T00:00', '2026-06-05T00:00');
    expect(days.notComparedOf({ day: '2026-06-01' })).toBeNull();
  });

  it('is nothing where its bounds lie inside an hour or a day that is kept as one', () => {
    for (const [from, to, isKept] of [
      ['2027-03-01T09:30', '2027-05-01T00:00', false],
      ['2027-03-01T09:00', '2027-03-02T10:30', false],
      ['2027-03-01T09:00', '2027-05-01T00:30', true],
      ['2026-06-01T09:00', '2027-05-01T00:00', false],
      ['2026-06-01T00:00', '2027-05-01T00:00', true],
    ] as const) {
      const found = weekBefore(['zone'], from, to);
      expect([from, to, found.notCompared]).toEqual([from, to, isKept ? null : 'KEPT_COARSER']);
      expect(found.notComparedOf({ zone: 'UTC' })).toBe(found.notCompared);
      expect(found.against === undefined).toBe(!isKept);
    }
  });

  it('is nothing that went with its campaign, and no day of which a part did', () => {
    // 1 100 days ago: 27 May 2024, 12:00.
    const days = weekBefore(['day'], '2024-06-01T00:00', '2024-06-10T00:00');
    expect(days.notCompared).toBe('PAST_RETENTION');
    expect(days.notComparedOf({ day: '2024-06-03' })).toBe('PAST_RETENTION');
    expect(days.notComparedOf({ day: '2024-06-04' })).toBeNull();
    expect(days.against?.filter.from).toBe(at('2024-05-28T00:00'));
    const zones = weekBefore(['zone'], '2024-06-01T00:00', '2024-06-10T00:00');
    expect([zones.notComparedOf({ zone: 'UTC' }), zones.against]).toEqual(['PAST_RETENTION', undefined]);
  });

  it('by tag is kept as long as the revisions are', () => {
    // 100 days ago: 21 February, 12:00.
    const asked = ['2027-02-27T00:00', '2027-03-05T00:00'] as const;
    expect(weekBefore(['zone'], ...asked).notCompared).toBeNull();
    expect(weekBefore(['zone'], ...asked, { tag: 'spring' }).notCompared).toBe('PAST_RETENTION');
  });
});

it('another campaign is asked for alike but for what names campaigns, and nothing is shown of one that is not known', () => {
  const filter = { serviceIds: ['shop'], campaign: 'a', tag: 'spring', zone: 'UTC', from: 1, to: 2 };
  const other = { serviceIds: null, campaign: 'b', zone: 'UTC', from: 1, to: 2, mode: undefined };
  expect(withCampaign(filter, 'b', true)).toMatchObject({
    filter: other,
    against: { filter: other, laterHours: 0 },
    notCompared: null,
  });
  const unknown = withCampaign(filter, 'b', false);
  expect([unknown.against, unknown.notComparedOf({})]).toEqual([undefined, 'NO_SUCH_CAMPAIGN']);
});
