import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aCampaign, aPlan } from '../../../../test/support/planning/planning.js';
import { parseLocal } from '../../../zone-rules/civil.js';
import { SHOWN_AHEAD_MS } from './recurrence.js';
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
    [
      'FREQ=MINUTELY',
      '"FREQ=MINUTELY" is not taken: FREQ takes one of HOURLY, DAILY, WEEKLY, MONTHLY, YEARLY, such as FREQ=WEEKLY',
    ],
    ['FREQ=secondly', '"FREQ=secondly" is not taken: FREQ takes'],
    ['BYDAY=MO', 'FREQ is required: it takes one of'],
    ['', 'an empty part is not taken'],
    ['FREQ=DAILY;', 'such as FREQ=WEEKLY;BYDAY=MO;COUNT=10'],
    ['FREQ=DAILY;freq=daily', 'FREQ stands twice, as "FREQ=DAILY" and "freq=daily"'],
    ['FREQ=DAILY;INTERVAL=0', '"INTERVAL=0" is not taken: INTERVAL takes 1 to 999, such as INTERVAL=2'],
    ['FREQ=DAILY;COUNT=0', '"COUNT=0" is not taken: COUNT takes 1 to 100000'],
    ['FREQ=DAILY;byhour=24', '"byhour=24" is not taken: BYHOUR takes 0 to 23, such as BYHOUR=9,18'],
    ['FREQ=MONTHLY;BYMONTHDAY=0', '"BYMONTHDAY=0" is not taken: BYMONTHDAY takes 1 to 31'],
    ['freq=weekly;byday=xx', '"byday=xx" is not taken: BYDAY takes MO to SU'],
    [
      'FREQ=WEEKLY;BYDAY=1mo',
      '"BYDAY=1mo" has a number, which is not taken with FREQ=WEEKLY, but with FREQ=MONTHLY and FREQ=YEARLY',
    ],
    ['FREQ=DAILY;BYDAY=-1MO', '"BYDAY=-1MO" has a number, which is not taken with FREQ=DAILY'],
    ['FREQ=MONTHLY;BYDAY=0MO', '"BYDAY=0MO" is not taken with FREQ=MONTHLY'],
    ['FREQ=MONTHLY;BYDAY=MO,+0TU', '"BYDAY=MO,+0TU" is not taken with FREQ=MONTHLY'],
    [
      'FREQ=MONTHLY;BYDAY=-6FR',
      '"BYDAY=-6FR" is not taken with FREQ=MONTHLY: a month has 1 to 5 of a weekday',
    ],
    ['FREQ=YEARLY;BYDAY=0MO', '"BYDAY=0MO" is not taken with FREQ=YEARLY'],
    ['FREQ=YEARLY;BYDAY=54MO', '"BYDAY=54MO" is not taken with FREQ=YEARLY: a year has 1 to 53 of a weekday'],
    ['FREQ=YEARLY;BYMONTH=3;BYDAY=6SU', '"BYDAY=6SU" is not taken with FREQ=YEARLY: a month has'],
    ['FREQ=YEARLY;BYWEEKNO=20;BYDAY=1MO', '"BYDAY=1MO" has a number, which is not taken beside BYWEEKNO'],
    [
      'FREQ=WEEKLY;BYMONTHDAY=1',
      '"BYMONTHDAY=1" is not taken with FREQ=WEEKLY, but with FREQ=HOURLY, FREQ=DAILY, FREQ=MONTHLY, FREQ=YEARLY',
    ],
    [
      'FREQ=DAILY;BYYEARDAY=1',
      '"BYYEARDAY=1" is not taken with FREQ=DAILY, but with FREQ=HOURLY, FREQ=YEARLY',
    ],
    ['FREQ=MONTHLY;BYWEEKNO=1', '"BYWEEKNO=1" is not taken with FREQ=MONTHLY, but with FREQ=YEARLY'],
    ['FREQ=WEEKLY;BYDAY=MO,TU;BYSETPOS=1,-8', '"BYSETPOS=1,-8" is beyond the week'],
    ['FREQ=MONTHLY;BYSETPOS=1', '"BYSETPOS=1" picks among what another BY part yields'],
    ['FREQ=DAILY=1', '"FREQ=DAILY=1" is not taken'],
    ['FREQ=DAILY;COUNT=3;until=20270101', '"COUNT=3" and "until=20270101" exclude each other'],
    ['FREQ=DAILY;BYSETPOS=1', '"BYSETPOS=1" is not taken with FREQ=DAILY'],
    ['FREQ=DAILY;BYSECOND=0', '"BYSECOND=0" is not taken: a rule is made of FREQ, INTERVAL'],
    ['DTSTART=20270101T090000', '"DTSTART=20270101T090000" is not taken'],
    ['RRULE:FREQ=DAILY', 'leave off "RRULE:"'],
    ['FREQ=DAILY;__PROTO__=1', '"__PROTO__=1" is not taken'],
    ['FREQ=DAILY;constructor=1', '"constructor=1" is not taken'],
    ['FREQ=DAILY;UNTIL=tomorrow', '"UNTIL=tomorrow" is not taken: UNTIL takes a date'],
    ['FREQ=DAILY\nEXDATE=20270101', '"FREQ=DAILY'],
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
  const furthest = Date.parse(NOW) + SHOWN_AHEAD_MS + 15 * 3_600_000;
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
        const said = parsed.kind === 'refused' ? parsed.reason : JSON.stringify(parsed.parts);
        expect(said.length).toBeGreaterThan(5);
      }),
    );
  });
});
