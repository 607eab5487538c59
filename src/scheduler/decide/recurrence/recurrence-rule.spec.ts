import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aCampaign, aPlan } from '../../../../test/support/planning.js';
import { parseLocal } from '../../../zone-rules/civil.js';
import { PLAN_AHEAD_MS } from './recurrence.js';
import { parseRecurrence } from './recurrence-rule.js';

describe('parseRecurrence', () => {
  it.each([
    'FREQ=WEEKLY;BYDAY=MO;COUNT=10',
    'freq=monthly;byday=-1FR',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29',
    'FREQ=HOURLY;INTERVAL=6',
    'FREQ=DAILY;BYHOUR=9,18;BYMINUTE=0,30;WKST=SU',
    'FREQ=MONTHLY;BYDAY=+1MO,-5SU',
    'FREQ=YEARLY;BYDAY=53SU',
    'FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO',
    'FREQ=WEEKLY;BYDAY=MO,TU,WE;BYSETPOS=-1',
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
    ['FREQ=WEEKLY;BYDAY=1MO', 'BYDAY with a number (1MO) is not taken with FREQ=WEEKLY'],
    ['FREQ=DAILY;BYDAY=-1MO', 'BYDAY with a number (-1MO) is not taken with FREQ=DAILY'],
    ['FREQ=MONTHLY;BYDAY=0MO', 'BYDAY=0MO is not possible with FREQ=MONTHLY'],
    ['FREQ=MONTHLY;BYDAY=MO,+0TU', 'BYDAY=+0TU is not possible with FREQ=MONTHLY'],
    [
      'FREQ=MONTHLY;BYDAY=-6FR',
      'BYDAY=-6FR is not possible with FREQ=MONTHLY: a month has the 1st to the 5th',
    ],
    ['FREQ=YEARLY;BYDAY=0MO', 'BYDAY=0MO is not possible with FREQ=YEARLY'],
    ['FREQ=YEARLY;BYDAY=54MO', 'BYDAY=54MO is not possible with FREQ=YEARLY: a year has the 1st to the 53th'],
    ['FREQ=YEARLY;BYMONTH=3;BYDAY=6SU', 'BYDAY=6SU is not possible with FREQ=YEARLY: a month has'],
    ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=1MO', 'BYDAY with a number (1MO) is not taken with BYWEEKNO'],
    ['FREQ=WEEKLY;BYMONTHDAY=1', 'BYMONTHDAY is not taken with FREQ=WEEKLY'],
    ['FREQ=DAILY;BYYEARDAY=1', 'BYYEARDAY is not taken with FREQ=DAILY'],
    ['FREQ=MONTHLY;BYWEEKNO=1', 'BYWEEKNO is not taken with FREQ=MONTHLY'],
    ['FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=1,-8', 'BYSETPOS=1,-8 is beyond the week'],
    ['FREQ=MONTHLY;BYSETPOS=1', 'BYSETPOS=1 picks among what another BY part yields'],
    ['FREQ=DAILY=1', 'FREQ=DAILY=1 is not possible'],
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
});

/** Rules of every part at once, most of them forbidden or vain, with numbers inside and outside of their bounds. */
const number = (low: number, high: number) => fc.integer({ min: low - 1, max: high + 1 }).map(String);
const list = (low: number, high: number) =>
  fc.array(number(low, high), { minLength: 1, maxLength: 3 }).map((values) => values.join(','));
const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
const numbered = fc.tuple(fc.constantFrom('', '', '+', '-'), fc.integer({ min: 0, max: 54 }), weekday);
const day = fc.oneof(
  weekday,
  numbered.map(([sign, n, name]) => `${sign}${n}${name}`),
);
const PART_VALUES = {
  INTERVAL: number(1, 999),
  COUNT: fc.constantFrom('1', '3', '100000'),
  UNTIL: fc.constantFrom('20260101', '20270302T000000Z', '20990101T000000', '20271332'),
  WKST: weekday,
  BYDAY: fc.array(day, { minLength: 1, maxLength: 3 }).map((days) => days.join(',')),
  BYMONTH: list(1, 12),
  BYMONTHDAY: list(-31, 31),
  BYYEARDAY: list(-366, 366),
  BYWEEKNO: list(-53, 53),
  BYHOUR: list(0, 23),
  BYMINUTE: list(0, 59),
  BYSETPOS: list(-366, 366),
};
const ruleText = fc
  .tuple(
    fc.constantFrom('HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'),
    fc.shuffledSubarray(Object.entries(PART_VALUES), { maxLength: 4 }),
  )
  .chain(([frequency, parts]) =>
    fc
      .tuple(...parts.map(([name, values]) => values.map((value) => `${name}=${value}`)))
      .map((texts) => [`FREQ=${frequency}`, ...texts].join(';')),
  );

describe('whatever rule comes', () => {
  const NOW = '2027-02-28T00:00Z';
  const furthest = Date.parse(NOW) + PLAN_AHEAD_MS + 15 * 3_600_000;
  const refusals = ['INVALID_RECURRENCE', 'RECURRENCE_NEVER_FIRES'];

  /** How its planning ended, and whether as it should. */
  function outcomeOf(
    recurrence: string,
    zone: string,
  ): { ended: 'refused' | 'never' | 'planned'; good: boolean } {
    const plan = aPlan(aCampaign({ kind: 'wall', local: '2027-03-01T09:00', zone, recurrence }), NOW);
    const { code = '', text = '' } = plan.refusal ?? {};
    if (parseRecurrence(recurrence).kind === 'refused')
      return { ended: 'refused', good: code === 'INVALID_RECURRENCE' && text.includes(' ') };
    if (plan.refusal !== undefined) return { ended: 'never', good: refusals.includes(code) };
    const near = plan.occurrences.every(({ occurrence }) => (parseLocal(occurrence) ?? 0) <= furthest);
    return { ended: 'planned', good: near && (plan.occurrences.length > 0 || plan.nextLookAt !== undefined) };
  }

  it('is refused with a sentence or planned, at once and within 35 days', () => {
    const seen = { refused: 0, never: 0, planned: 0 };
    fc.assert(
      fc.property(ruleText, fc.constantFrom('Asia/Seoul', 'America/New_York'), (recurrence, zone) => {
        const before = process.cpuUsage();
        const { ended, good } = outcomeOf(recurrence, zone);
        const { user, system } = process.cpuUsage(before);
        seen[ended] += 1;
        expect({ recurrence, good, quick: user + system < 3_000_000 }).toEqual({
          recurrence,
          good: true,
          quick: true,
        });
      }),
      { numRuns: 200 },
    );
    expect(Math.min(...Object.values(seen)), JSON.stringify(seen)).toBeGreaterThan(0);
  });

  it('is refused with a sentence where it is no rule at all', () => {
    const words = ['FREQ', 'BYDAY', '=', ';', ',', 'MO', '0', '-1', 'DAILY', '\n', 'é', '__proto__'];
    const text = fc.oneof(
      fc.string(),
      fc.array(fc.constantFrom(...words)).map((some) => some.join('')),
    );
    fc.assert(
      fc.property(text, (some) => {
        const parsed = parseRecurrence(some);
        const said = parsed.kind === 'refused' ? parsed.reason : parsed.rule.text;
        expect(said.length).toBeGreaterThan(5);
      }),
    );
  });
});
