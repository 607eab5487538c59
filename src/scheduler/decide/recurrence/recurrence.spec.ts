// Which wall times a rule yields (campaign-events.md, "RRULE parts taken"): cases that other implementations get wrong,
// generated rules against a plain second reading, and rules made to be slow.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { naiveRrule } from '../../../../test/support/planning/naive-rrule.js';
import { recurrenceText } from '../../../../test/support/planning/rule-texts.js';
import { parseRecurrence, untilOf } from './recurrence-rule.js';
import { expandRecurrence, firstOccurrence, nextOccurrence, type StartedRule } from './recurrence.js';
import {
  DAY_MS,
  formatLocal,
  HOUR_MS,
  MINUTE_MS,
  parseLocal,
  type LocalMs,
} from '../../../zone-rules/civil.js';

function started(text: string, start: string | LocalMs): StartedRule {
  const parsed = parseRecurrence(text);
  if (parsed.kind === 'refused') throw new Error(parsed.reason);
  const from = typeof start === 'string' ? parseLocal(start) : start;
  return { parts: parsed.parts, start: from ?? 0, until: untilOf(parsed.parts, undefined)?.local ?? null };
}

function yields(text: string, start: string, limit: number, after = -Infinity): string[] {
  const found = expandRecurrence(started(text, start), { after, before: Infinity, limit });
  return found.map(formatLocal);
}

describe('expandRecurrence (RFC 5545 §3.3.10)', () => {
  it.each<[string, string, string, string[]]>([
    [
      'a date that two positions name comes once',
      'FREQ=MONTHLY;BYMONTHDAY=1,2,3,4;BYSETPOS=4,-1',
      '2027-01-01T09:00',
      ['2027-01-04T09:00', '2027-02-04T09:00', '2027-03-04T09:00'],
    ],
    [
      'a position beyond the set picks nothing',
      'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=5',
      '2027-01-01T09:00',
      ['2027-03-29T09:00', '2027-05-31T09:00', '2027-08-30T09:00'],
    ],
    [
      'nor does one beyond its other end',
      'FREQ=MONTHLY;BYDAY=MO;BYSETPOS=-5',
      '2027-01-01T09:00',
      ['2027-03-01T09:00', '2027-05-03T09:00', '2027-08-02T09:00'],
    ],
    [
      'hours are put in order before COUNT takes them',
      'FREQ=DAILY;BYHOUR=20,9;COUNT=3',
      '2027-01-01T00:00',
      ['2027-01-01T09:00', '2027-01-01T20:00', '2027-01-02T09:00'],
    ],
    [
      'and before UNTIL ends them',
      'FREQ=DAILY;BYHOUR=20,9;BYMINUTE=30,0;UNTIL=20270101T200000',
      '2027-01-01T00:00',
      ['2027-01-01T09:00', '2027-01-01T09:30', '2027-01-01T20:00'],
    ],
    [
      'an hour that stands twice comes once',
      'FREQ=DAILY;BYHOUR=9,9;COUNT=2',
      '2027-01-01T00:00',
      ['2027-01-01T09:00', '2027-01-02T09:00'],
    ],
    [
      'weekdays with and without a number are joined',
      'FREQ=MONTHLY;BYDAY=FR,+3SU',
      '2027-01-16T09:00',
      ['2027-01-17T09:00', '2027-01-22T09:00', '2027-01-29T09:00'],
    ],
    [
      'positions count hours too',
      'FREQ=MONTHLY;BYMONTHDAY=1;BYHOUR=20,9;BYSETPOS=-1',
      '2027-01-01T00:00',
      ['2027-01-01T20:00', '2027-02-01T20:00', '2027-03-01T20:00'],
    ],
    [
      "BYWEEKNO without BYDAY means the start's weekday",
      'FREQ=YEARLY;BYWEEKNO=20,21',
      '2027-01-05T09:00',
      ['2027-05-18T09:00', '2027-05-25T09:00', '2028-05-16T09:00'],
    ],
    [
      'unless the day is said in another way',
      'FREQ=YEARLY;BYWEEKNO=20;BYMONTHDAY=18,19',
      '2027-01-05T09:00',
      ['2027-05-18T09:00', '2027-05-19T09:00', '2028-05-18T09:00'],
    ],
    [
      'a week belongs to the year that has most of its days, a date to the year it is in',
      'FREQ=YEARLY;BYWEEKNO=1,53;BYDAY=TH,SA',
      '2026-01-01T09:00',
      ['2026-01-01T09:00', '2026-01-03T09:00', '2026-12-31T09:00', '2027-01-02T09:00', '2027-01-07T09:00'],
    ],
    [
      'weeks begin on WKST: positions count from there',
      'FREQ=WEEKLY;WKST=SU;BYDAY=SU,MO;BYSETPOS=1',
      '2027-01-01T09:00',
      ['2027-01-03T09:00', '2027-01-10T09:00'],
    ],
    [
      'and every other week is counted from there',
      'FREQ=WEEKLY;INTERVAL=2;WKST=SU;BYDAY=SU,MO',
      '2027-01-01T09:00',
      ['2027-01-10T09:00', '2027-01-11T09:00', '2027-01-24T09:00'],
    ],
    [
      'the positions of the first period count what was before the start',
      'FREQ=MONTHLY;BYMONTHDAY=1,15;BYSETPOS=2',
      '2027-01-10T09:00',
      ['2027-01-15T09:00', '2027-02-15T09:00'],
    ],
    [
      'seconds are those of the start',
      'FREQ=HOURLY;INTERVAL=36;BYMINUTE=5,0',
      '2027-01-01T09:00:07',
      ['2027-01-01T09:00:07', '2027-01-01T09:05:07', '2027-01-02T21:00:07'],
    ],
    [
      '29 February on a Friday',
      'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR',
      '2027-01-01T09:00',
      ['2036-02-29T09:00', '2064-02-29T09:00', '2092-02-29T09:00', '2104-02-29T09:00'],
    ],
    [
      'nothing after the year 9999',
      'FREQ=YEARLY',
      '9998-01-01T09:00',
      ['9998-01-01T09:00', '9999-01-01T09:00'],
    ],
  ])('%s', (_name, text, start, expected) => {
    const more = /COUNT|UNTIL/.test(text) || start.startsWith('9998') ? 1 : 0;
    expect(yields(text, start, expected.length + more)).toEqual(expected);
  });

  it('counts from the start, wherever it is asked from', () => {
    const rule = 'FREQ=WEEKLY;BYDAY=MO,TH;BYHOUR=18,9;COUNT=7';
    const all = yields(rule, '2027-01-05T09:00', 100);
    expect(all).toHaveLength(7);
    for (const [index, id] of all.entries()) {
      expect(yields(rule, '2027-01-05T09:00', 100, parseLocal(id))).toEqual(all.slice(index + 1));
    }
  });
});

/** A rule that is taken, its start, and how far on it is looked at. */
const aRule = fc
  .record({
    text: recurrenceText.filter((text) => parseRecurrence(text).kind === 'rule'),
    start: fc.integer({ min: 0, max: 8 * 365 * 24 * 60 }),
  })
  .map(({ text, start }) => {
    const local = (parseLocal('2024-01-01T00:00') ?? 0) + start * MINUTE_MS;
    return { text, rule: started(text, local), end: local + (LOOKED_AT[text.slice(5, 7)] ?? 0) * DAY_MS };
  });
const LOOKED_AT: Readonly<Record<string, number>> = { HO: 10, DA: 100, WE: 300, MO: 800, YE: 2_000 };

const expand = (rule: StartedRule, after: LocalMs, end: LocalMs): LocalMs[] =>
  expandRecurrence(rule, { after, before: end + 1, limit: Infinity });

describe('whatever rule is taken', () => {
  it('yields what a plain reading of RFC 5545 yields', () => {
    let some = 0;
    fc.assert(
      fc.property(aRule, ({ text, rule, end }) => {
        const counted = text.replace(/;UNTIL=[^;]*/, '');
        const expected = naiveRrule(counted, rule.start, Math.min(end, rule.until ?? Infinity));
        some += Math.min(1, expected.length);
        expect(expand(rule, -Infinity, end).map(formatLocal)).toEqual(expected.map(formatLocal));
      }),
      { numRuns: 100 },
    );
    expect(some).toBeGreaterThan(20);
  });

  it('yields each wall time once and in order, from the start to UNTIL, COUNT of them at the most', () => {
    fc.assert(
      fc.property(aRule, ({ rule, end }) => {
        const found = expand(rule, -Infinity, end);
        expect(found).toEqual([...new Set(found)].toSorted((a, b) => a - b));
        expect(found.length).toBeLessThanOrEqual(Number(rule.parts['COUNT'] ?? Infinity));
        expect(found.every((local) => local >= rule.start && local <= (rule.until ?? end))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('yields the same in rolling windows as in one, and one by one', () => {
    fc.assert(
      fc.property(
        aRule,
        fc.array(fc.integer({ min: 1, max: 90 * 24 }), { maxLength: 8 }),
        ({ rule, end }, hours) => {
          const all = expand(rule, -Infinity, end);
          const rolled: LocalMs[] = [];
          let before = rule.start;
          for (const more of [...hours, Infinity]) {
            before = Math.min(end, before + more * HOUR_MS);
            rolled.push(...expand(rule, rolled.at(-1) ?? -Infinity, before));
          }
          expect(rolled).toEqual(all);
          const firstTen: (LocalMs | undefined)[] = [];
          for (const _local of all.slice(0, 10))
            firstTen.push(nextOccurrence(rule, firstTen.at(-1) ?? -Infinity, end + 1 - rule.start));
          expect(firstTen).toEqual(all.slice(0, 10));
        },
      ),
      { numRuns: 100 },
    );
  });
});

const upTo = (low: number, high: number): string =>
  Array.from({ length: high - low + 1 }, (_, index) => low + index).join(',');
const FULL = `BYHOUR=${upTo(0, 23)};BYMINUTE=${upTo(0, 59)}`;

describe('a rule made to be slow', () => {
  const cpuMs = (work: () => unknown): number => {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };

  it.each([
    `FREQ=YEARLY;${FULL};BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMONTH=${upTo(1, 12)};BYSETPOS=366,-366`,
    `FREQ=YEARLY;BYYEARDAY=-366;BYMONTHDAY=31;BYWEEKNO=53;BYDAY=MO;${FULL};COUNT=100000`,
    `FREQ=MONTHLY;${FULL};BYMONTHDAY=${upTo(1, 31)};COUNT=100000`,
    `FREQ=DAILY;${FULL};COUNT=100000`,
    'FREQ=HOURLY;COUNT=100000',
    `FREQ=HOURLY;INTERVAL=999;BYMINUTE=${upTo(0, 59)};BYMONTH=2;BYMONTHDAY=29`,
    'FREQ=YEARLY;INTERVAL=999;BYWEEKNO=53;BYDAY=SU',
    'FREQ=DAILY;INTERVAL=999;BYMONTH=2;BYMONTHDAY=29;BYDAY=FR',
    'FREQ=DAILY;INTERVAL=7;BYDAY=TU',
    'FREQ=MONTHLY;INTERVAL=12;BYMONTH=5',
    'FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30',
    'FREQ=MONTHLY;BYMONTHDAY=1;BYSETPOS=2',
  ])('is asked whether it fires, and for a far window, at once: %s', (text) => {
    const rule = started(text, '2027-03-01T09:00');
    const far = rule.start + 39 * 366 * DAY_MS;
    const spent = cpuMs(() => {
      firstOccurrence(rule);
      expandRecurrence(rule, { after: far, before: far + 35 * DAY_MS, limit: 1_000 });
      nextOccurrence(rule, far, 40 * 366 * DAY_MS);
    });
    expect(spent).toBeLessThan(500);
  });

  it('that never fires is known not to, one that fires after 40 years is known to', () => {
    const first = (text: string, start: string): string => {
      const local = firstOccurrence(started(text, start));
      return local === undefined ? 'never' : formatLocal(local);
    };
    expect(first('FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30', '2027-03-01T09:00')).toBe('never');
    expect(first('FREQ=YEARLY;BYYEARDAY=1;BYMONTH=5', '2027-03-01T09:00')).toBe('never');
    expect(first('FREQ=HOURLY;INTERVAL=168;BYDAY=TU', '2027-03-01T09:00')).toBe('never');
    expect(first('FREQ=WEEKLY;BYDAY=TU,SU,FR;BYSETPOS=-7', '2027-03-01T09:00')).toBe('never');
    expect(first('FREQ=YEARLY;BYWEEKNO=53;BYDAY=SU;BYMONTH=1', '2027-03-01T09:00')).toBe('2033-01-02T09:00');
    // 2100 is no leap year: from one such Monday to the next it is 40 years.
    expect(first('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO', '2072-02-29T10:00')).toBe(
      '2072-02-29T10:00',
    );
    expect(first('FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=29;BYDAY=MO', '2072-03-01T10:00')).toBe(
      '2112-02-29T10:00',
    );
    expect(first('FREQ=DAILY;BYMONTHDAY=-31', '2027-02-01T09:00')).toBe('2027-03-01T09:00');
    expect(first('FREQ=YEARLY;BYYEARDAY=-366', '2027-03-01T09:00')).toBe('2028-01-01T09:00');
  });
});
