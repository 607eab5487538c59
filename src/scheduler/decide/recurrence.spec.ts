import { describe, expect, it } from 'vitest';
import { aCampaign, aPlan, cellsOf, iso, knowing, users } from '../../../test/support/planning.js';
import type { Delivery } from './campaign.js';
import { parseLocal } from './civil.js';
import type { Plan, PlanInput } from './planned.js';
import type { Policy } from './policy.js';
import { hasPossibleDay, parseRecurrence } from './recurrence-rule.js';

const seoul = (recurrence: string, local = '2027-03-01T09:00'): Delivery => ({
  kind: 'wall',
  local,
  zone: 'Asia/Seoul',
  recurrence,
});
const plan = (
  delivery: Delivery,
  now: string,
  policy: Partial<Policy> = {},
  input: Partial<PlanInput> = {},
): Plan =>
  aPlan(aCampaign(delivery, { policy, audience: users('anna', 'ben') }), now, {
    audience: knowing({ anna: 'Asia/Seoul', ben: 'America/New_York' }),
    ...input,
  });
const ids = (of: Plan): string[] => of.occurrences.map(({ occurrence }) => occurrence);

describe('recurrences (§3)', () => {
  it('are planned 35 days ahead, and say when to look again', () => {
    const first = plan(seoul('FREQ=WEEKLY;BYDAY=MO'), '2027-02-28T00:00Z');
    expect(ids(first)).toEqual([
      '2027-03-01T09:00',
      '2027-03-08T09:00',
      '2027-03-15T09:00',
      '2027-03-22T09:00',
      '2027-03-29T09:00',
    ]);
    const nextLookAt = first.nextLookAt ?? 0;
    expect(iso(nextLookAt)).toBe('2027-02-28T19:00Z');
    const second = plan(
      seoul('FREQ=WEEKLY;BYDAY=MO'),
      new Date(nextLookAt).toISOString(),
      {},
      { after: '2027-03-29T09:00' },
    );
    expect(ids(second)).toEqual(['2027-04-05T09:00']);
    expect(second.nextLookAt).toBe(nextLookAt + 7 * 86_400_000);
  });

  it('count ids, not what DST makes of them: the id is the wall time before it is resolved', () => {
    const delivery: Delivery = {
      kind: 'wall',
      local: '2027-03-13T02:30',
      zone: 'America/New_York',
      recurrence: 'FREQ=DAILY;COUNT=3',
    };
    const skipping = plan(delivery, '2027-03-12T00:00Z', { dst: { gap: 'skip', overlap: 'first' } });
    expect(skipping.occurrences.map(({ occurrence, cells }) => [occurrence, cells[0]?.skipped])).toEqual([
      ['2027-03-13T02:30', undefined],
      ['2027-03-14T02:30', 'DST_GAP'],
      ['2027-03-15T02:30', undefined],
    ]);
    expect(skipping.nextLookAt).toBeUndefined();
  });

  it("on the recipient's clock have the same ids in every zone", () => {
    const weekly: Delivery = {
      kind: 'recipient',
      local: '2027-03-01T09:00',
      recurrence: 'FREQ=WEEKLY;COUNT=2',
    };
    const found = plan(weekly, '2027-02-27T00:00Z');
    expect(ids(found)).toEqual(['2027-03-01T09:00', '2027-03-08T09:00']);
    expect(cellsOf(found).map((cell) => `${cell.zone} ${iso(cell.dueAt)}`)).toEqual([
      'Asia/Seoul 2027-03-01T00:00Z',
      'America/New_York 2027-03-01T14:00Z',
      'Asia/Seoul 2027-03-08T00:00Z',
      'America/New_York 2027-03-08T14:00Z',
    ]);
  });

  it('on an instant run in UTC', () => {
    const delivery: Delivery = {
      kind: 'instant',
      at: Date.parse('2027-03-13T09:00Z'),
      recurrence: 'FREQ=DAILY;COUNT=2',
    };
    expect(cellsOf(plan(delivery, '2027-03-01T00:00Z')).map((cell) => iso(cell.dueAt))).toEqual([
      '2027-03-13T09:00Z',
      '2027-03-14T09:00Z',
    ]);
  });

  it.each([
    [
      'monthly on the 31st skips short months',
      'FREQ=MONTHLY;BYMONTHDAY=31',
      '2027-01-31T09:00',
      '2027-01-30T00:00Z',
      ['2027-01-31T09:00'],
    ],
    [
      'the last day of the month',
      'FREQ=MONTHLY;BYMONTHDAY=28,29,30,31;BYSETPOS=-1',
      '2027-01-31T09:00',
      '2027-01-30T00:00Z',
      ['2027-01-31T09:00', '2027-02-28T09:00'],
    ],
    [
      'UNTIL on the wall clock takes part',
      'FREQ=DAILY;UNTIL=20270302T090000',
      '2027-03-01T09:00',
      '2027-02-28T00:00Z',
      ['2027-03-01T09:00', '2027-03-02T09:00'],
    ],
    [
      'UNTIL as a date takes its whole day',
      'FREQ=DAILY;UNTIL=20270302',
      '2027-03-01T09:00',
      '2027-02-28T00:00Z',
      ['2027-03-01T09:00', '2027-03-02T09:00'],
    ],
    [
      "UNTIL in UTC is read on the zone's clock",
      'FREQ=DAILY;UNTIL=20270302T000000Z',
      '2027-03-01T09:00',
      '2027-02-28T00:00Z',
      ['2027-03-01T09:00', '2027-03-02T09:00'],
    ],
    [
      'twice a day',
      'FREQ=DAILY;BYHOUR=9,18;COUNT=3',
      '2027-03-01T09:00',
      '2027-02-28T00:00Z',
      ['2027-03-01T09:00', '2027-03-01T18:00', '2027-03-02T09:00'],
    ],
    [
      'a start that the rule does not match is no occurrence',
      'FREQ=WEEKLY;BYDAY=WE;COUNT=1',
      '2027-03-01T09:00',
      '2027-02-28T00:00Z',
      ['2027-03-03T09:00'],
    ],
  ])('%s', (_name, rule, local, now, expected) => {
    expect(ids(plan(seoul(rule, local), now))).toEqual(expected);
  });

  it('leave out what was over before they were planned, and say how much', () => {
    const found = plan(seoul('FREQ=DAILY;COUNT=5'), '2027-03-03T01:00Z');
    expect(ids(found)).toEqual(['2027-03-04T09:00', '2027-03-05T09:00']);
    expect(found.warnings).toContainEqual(
      expect.objectContaining({ code: 'PAST_OCCURRENCES', text: expect.stringContaining('3 occurrences') }),
    );
  });

  it('send what is late by no more than lateness.max', () => {
    expect(ids(plan(seoul('FREQ=DAILY;COUNT=3'), '2027-03-01T00:30Z'))[0]).toBe('2027-03-01T09:00');
  });

  it('§4: passedZone holds for the first occurrence planned alone, where next-day counts as skip', () => {
    const daily: Delivery = {
      kind: 'recipient',
      local: '2027-03-01T09:00',
      recurrence: 'FREQ=DAILY;COUNT=2',
    };
    const found = plan(daily, '2027-03-01T05:00Z', { passedZone: { kind: 'next-day' } });
    expect(cellsOf(found).map((cell) => `${cell.zone} ${cell.skipped ?? iso(cell.dueAt)}`)).toEqual([
      'Asia/Seoul PASSED_ZONE',
      'America/New_York 2027-03-01T14:00Z',
      'Asia/Seoul 2027-03-02T00:00Z',
      'America/New_York 2027-03-02T14:00Z',
    ]);
  });

  it('§4: of the occurrences after the first, what is past follows lateness', () => {
    const hourly: Delivery = {
      kind: 'recipient',
      local: '2027-03-01T09:00',
      recurrence: 'FREQ=HOURLY;COUNT=2',
    };
    const seoulOnly = cellsOf(plan(hourly, '2027-03-01T05:00Z', { passedZone: { kind: 'send-now' } })).filter(
      (cell) => cell.zone === 'Asia/Seoul',
    );
    expect(seoulOnly.map((cell) => [cell.passed.kind, cell.expired?.lateMs])).toEqual([
      ['sent-now', undefined],
      ['not-passed', 4 * 3_600_000],
    ]);
  });

  it('§4: reject takes out the occurrence, all of it, and no other', () => {
    const daily: Delivery = {
      kind: 'recipient',
      local: '2027-03-01T09:00',
      recurrence: 'FREQ=DAILY;COUNT=2',
    };
    const found = plan(daily, '2027-03-01T05:00Z', { passedZone: { kind: 'reject' } });
    expect(found.refusal).toBeUndefined();
    expect(found.occurrences.map(({ occurrence, skipped }) => [occurrence, skipped])).toEqual([
      ['2027-03-01T09:00', 'REJECTED_BY_POLICY'],
      ['2027-03-02T09:00', undefined],
    ]);
    expect(found.occurrences[0]?.cells.map((cell) => cell.skipped)).toEqual([
      'REJECTED_BY_POLICY',
      'REJECTED_BY_POLICY',
    ]);
  });

  it.each([
    [
      "in UTC on the recipient's clock",
      {
        kind: 'recipient',
        local: '2027-03-01T09:00',
        recurrence: 'FREQ=DAILY;UNTIL=20270302T000000Z',
      } as const,
    ],
    ['a day that never comes', seoul('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30')],
    ['a start of long ago', seoul('FREQ=DAILY', '1999-01-01T09:00')],
    ['nonsense', seoul('every day')],
  ])('are refused: %s', (_name, delivery) => {
    expect(plan(delivery, '2027-02-28T00:00Z').refusal).toMatchObject({
      code: 'INVALID_RECURRENCE',
      pointer: '/delivery/recurrence',
    });
  });
});

describe('parseRecurrence', () => {
  it.each([
    'FREQ=WEEKLY;BYDAY=MO;COUNT=10',
    'freq=monthly;byday=-1FR',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
    'FREQ=HOURLY;INTERVAL=6',
    'FREQ=DAILY;BYHOUR=9,18;BYMINUTE=0,30;WKST=SU',
  ])('takes %s', (text) => {
    expect(parseRecurrence(text)).toMatchObject({ kind: 'rule' });
  });

  it.each([
    ['FREQ=MINUTELY', 'FREQ must be'],
    ['FREQ=SECONDLY', 'FREQ must be'],
    ['BYDAY=MO', 'FREQ must be'],
    ['', 'an empty part'],
    ['FREQ=DAILY;', 'an empty part'],
    ['FREQ=DAILY;FREQ=DAILY', 'stands twice'],
    ['FREQ=DAILY;INTERVAL=0', 'INTERVAL=0'],
    ['FREQ=DAILY;COUNT=0', 'COUNT=0'],
    ['FREQ=DAILY;BYHOUR=24', 'BYHOUR=24'],
    ['FREQ=MONTHLY;BYMONTHDAY=0', 'BYMONTHDAY=0'],
    ['FREQ=WEEKLY;BYDAY=XX', 'BYDAY=XX'],
    ['FREQ=WEEKLY;BYDAY=1MO', 'BYDAY with a number'],
    ['FREQ=DAILY;COUNT=3;UNTIL=20270101', 'exclude each other'],
    ['FREQ=DAILY;BYSETPOS=1', 'BYSETPOS'],
    ['FREQ=DAILY;BYSECOND=0', 'BYSECOND is not taken'],
    ['DTSTART=20270101T090000', 'DTSTART is not taken'],
    ['FREQ=DAILY;__PROTO__=1', '__PROTO__ is not taken'],
    ['FREQ=DAILY;CONSTRUCTOR=1', 'CONSTRUCTOR is not taken'],
    ['FREQ=DAILY;UNTIL=tomorrow', 'UNTIL=TOMORROW'],
    ['FREQ=DAILY\nEXDATE=20270101', 'FREQ=DAILY'],
  ])('refuses %j: %s', (text, reason) => {
    const parsed = parseRecurrence(text);
    expect(parsed.kind === 'refused' ? parsed.reason : 'taken').toContain(reason);
  });

  it('keeps the library from searching 8 000 years for a day that never comes', () => {
    const start = parseLocal('2027-03-01T09:00') ?? 0;
    const possible = (text: string): boolean => {
      const parsed = parseRecurrence(text);
      return parsed.kind === 'rule' && hasPossibleDay(parsed.rule, start);
    };
    expect(
      [
        'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30',
        'FREQ=DAILY;BYYEARDAY=1;BYMONTH=5',
        'FREQ=DAILY;INTERVAL=7;BYDAY=TU',
      ].map(possible),
    ).toEqual([false, false, false]);
    expect(
      [
        'FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29',
        'FREQ=DAILY;BYMONTHDAY=-31',
        'FREQ=DAILY;BYYEARDAY=-366',
        'FREQ=DAILY;INTERVAL=7;BYDAY=MO',
      ].map(possible),
    ).toEqual([true, true, true, true]);
  });
});
