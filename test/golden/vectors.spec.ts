import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { isOlder } from '../../src/zone-rules/load-zone-rules.js';
import { formatLocal, parseLocal } from '../../src/zone-rules/civil.js';
import { readBack, resolveLocal } from '../../src/scheduler/decide/timing/local-time.js';
import type { DstPolicy } from '../../src/scheduler/decide/timing/campaign-policy.js';
import type { ZoneRules } from '../../src/zone-rules/zone-rules.js';
import { firstOutside, insideWindow } from '../../src/scheduler/decide/timing/daily-window.js';
import { expandRecurrence } from '../../src/scheduler/decide/recurrence/recurrence.js';
import { parseRecurrence } from '../../src/scheduler/decide/recurrence/recurrence-rule.js';
import { requireZoneTable } from '../../src/scheduler/decide/audience/zone-by-name.js';
import { completeRuleSets, rulesOf2026f } from '../support/planning/rule-sets.js';
import { vectorBytes, vectorRows, type SensitiveRow } from '../support/vectors.js';

/** Of the files as they were handed over. */
const SUMS = {
  'README.md': '24984041e47901416b1f36841855d97a2da41350f6dcf896fb1a408bf83655e9',
  'quiet.jsonl': 'dcfc7ebbcadc7f9518b4aa0aa25bce2cb36b5fea04b2a36758babb32d0fde2df',
  'recurring.jsonl': '821c1baf7627d97acb2db5a74e6ec73ff62dbf20b43e4b7b1dc20bb20203ed0e',
  'rrule.jsonl': '514e68dce393ee7bd096501f04d1f6647dc45f1f8e6d1eeccf0a7ebf9f903e0a',
  'signature.json': 'b718e295c9e6226be352e7c7d0b24a9b72b1995c498a62f1be92d8c330980ed0',
  'zones.jsonl': '8a3fd6fe943648afdc9c52e2f6742359ff6b5f2877ec51ff673aa34e76eab0f9',
};

interface ZoneRow extends SensitiveRow {
  readonly local: string;
  readonly kind: 'unique' | 'gap' | 'overlap';
  readonly expected: Partial<Record<'any' | 'first' | 'second' | 'shift_forward' | 'earliest_after', string>>;
}

interface QuietRow extends SensitiveRow {
  readonly instant: string;
  readonly start: string;
  readonly end: string;
  readonly inside: boolean;
  readonly next_allowed: string;
}

interface RecurringRow extends SensitiveRow {
  readonly rule: {
    readonly freq: 'daily' | 'weekly' | 'monthly' | 'yearly';
    readonly time: string;
    readonly gap: 'shift_forward' | 'skip' | 'earliest_after';
    readonly overlap: 'first' | 'second';
    readonly monthday?: number;
    readonly monthday_of_year?: readonly [number, number];
    readonly missing_day?: 'skip' | 'clamp';
    readonly weekdays?: readonly number[];
  };
  readonly after: string;
  readonly count: number;
  readonly expected: readonly string[];
}

interface RruleRow {
  readonly id: string;
  readonly rule: string;
  readonly start: string;
  readonly limit: string;
  readonly expected: readonly string[];
}

const isoSeconds = (instant: number | undefined): string =>
  instant === undefined ? 'none' : new Date(instant).toISOString().replace('.000Z', 'Z');

function checkZone(row: ZoneRow, rules: ZoneRules): void {
  const local = row.local.replace(' ', 'T');
  const wall = parseLocal(local) ?? NaN;
  const table = requireZoneTable(row.zone, rules);
  const resolve = (policy: DstPolicy): { verdict: string; instant: string; reads: string } => {
    const { verdict, instant } = resolveLocal(wall, table, policy);
    const { date, time } = readBack(instant, table);
    return { verdict, instant: isoSeconds(instant), reads: `${date}T${time}` };
  };
  const first = resolve({ gap: 'forward', overlap: 'first' });
  if (row.kind === 'unique') {
    expect(first, row.id).toEqual({ verdict: 'exact', instant: row.expected.any, reads: local });
  } else if (row.kind === 'overlap') {
    const second = resolve({ gap: 'forward', overlap: 'second' });
    expect(first, row.id).toEqual({ verdict: 'first', instant: row.expected.first, reads: local });
    expect(second, row.id).toEqual({ verdict: 'second', instant: row.expected.second, reads: local });
    expect(resolve({ gap: 'forward', overlap: 'reject' }).verdict, row.id).toBe('rejected');
  } else {
    expect(first, row.id).toMatchObject({ verdict: 'moved-forward', instant: row.expected.shift_forward });
    expect(first.reads > local, `${row.id} reads back later than asked`).toBe(true);
    const found = table.candidates(wall);
    expect(isoSeconds(found.kind === 'gap' ? found.end : undefined), row.id).toBe(
      row.expected.earliest_after,
    );
    expect(resolve({ gap: 'skip', overlap: 'first' }).verdict, row.id).toBe('skipped');
    expect(resolve({ gap: 'reject', overlap: 'first' }).verdict, row.id).toBe('rejected');
  }
}

function minuteOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number);
  return hour * 60 + minute;
}

function checkQuiet(row: QuietRow, rules: ZoneRules): void {
  const table = rules.table(row.zone);
  if (table === undefined) throw new Error(`no zone ${row.zone}`);
  const window = { startMinute: minuteOf(row.start), endMinute: minuteOf(row.end) };
  const instant = Date.parse(row.instant);
  expect(insideWindow(instant, table, window), row.id).toBe(row.inside);
  expect(isoSeconds(firstOutside(instant, table, window)), row.id).toBe(row.next_allowed);
}

const WEEKDAYS = ['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'];

/** `missing_day: clamp` is every day from the 28th to the wished one, and the last of them that exists. */
function dayOrLast(day: number, missing: 'skip' | 'clamp' | undefined): string {
  if (missing !== 'clamp') return `BYMONTHDAY=${day}`;
  const days = [28, 29, 30, 31].filter((candidate) => candidate <= day);
  return `BYMONTHDAY=${days.join(',')};BYSETPOS=-1`;
}

function rruleOf({
  freq,
  monthday,
  monthday_of_year: ofYear,
  missing_day: missing,
  weekdays,
}: RecurringRow['rule']): string {
  if (freq === 'daily') return 'FREQ=DAILY';
  if (freq === 'weekly')
    return `FREQ=WEEKLY;BYDAY=${(weekdays ?? []).map((day) => WEEKDAYS[day - 1]).join(',')}`;
  if (freq === 'monthly') return `FREQ=MONTHLY;${dayOrLast(monthday ?? 0, missing)}`;
  const [month, day] = ofYear ?? [0, 0];
  return `FREQ=YEARLY;BYMONTH=${month};${dayOrLast(day, missing)}`;
}

function checkRecurring(row: RecurringRow, rules: ZoneRules): void {
  const parsed = parseRecurrence(rruleOf(row.rule));
  if (parsed.kind !== 'rule') throw new Error(`${row.id}: ${parsed.reason}`);
  const after = Date.parse(row.after);
  // Counting starts some days before, on the rule's own time of day.
  const day = new Date(after - 3 * 86_400_000).toISOString().slice(0, 10);
  const start = parseLocal(`${day}T${row.rule.time}`) ?? 0;
  const locals = expandRecurrence(
    { parts: parsed.parts, start, until: null },
    { after: -Infinity, before: start + 20 * 366 * 86_400_000, limit: row.count + 10 },
  );
  const policy: DstPolicy = { gap: row.rule.gap === 'skip' ? 'skip' : 'forward', overlap: row.rule.overlap };
  const table = requireZoneTable(row.zone, rules);
  const instants = locals
    .map((local) => resolveLocal(local, table, policy))
    .filter(({ verdict }) => verdict !== 'skipped')
    .map(({ instant }) => instant)
    .filter((instant) => instant > after);
  expect(instants.slice(0, row.count).map(isoSeconds), row.id).toEqual(row.expected);
}

/** The first 25 wall times up to the limit; a row without any is a rule that yields none by then. */
function idsOf(row: RruleRow): string[] {
  const parsed = parseRecurrence(row.rule);
  if (parsed.kind !== 'rule') throw new Error(`${row.id}: ${parsed.reason}`);
  const [start = 0, limit = 0] = [row.start, row.limit].map(parseLocal);
  const window = { after: -Infinity, before: limit + 1, limit: 25 };
  return expandRecurrence({ parts: parsed.parts, start, until: null }, window).map(formatLocal);
}

const zones = vectorRows<ZoneRow>('zones.jsonl');
const quiet = vectorRows<QuietRow>('quiet.jsonl');
const recurring = vectorRows<RecurringRow>('recurring.jsonl');
const rrules = vectorRows<RruleRow>('rrule.jsonl');
const offered = recurring.filter((row) => row.rule.gap !== 'earliest_after');

describe('the vectors', () => {
  it.each(Object.entries(SUMS))('%s is the file that was handed over', (file, sum) => {
    expect(createHash('sha256').update(vectorBytes(file)).digest('hex')).toBe(sum);
  });

  it('hold 1777 wall times, 950 windows, 295 rules, and 317 recurrences of which 34 ask for what is not offered', () => {
    const counts = [zones, quiet, rrules, recurring, offered].map((rows) => rows.length);
    expect(counts).toEqual([1777, 950, 295, 317, 283]);
    const sensitive = [zones, quiet, recurring].map(
      (rows) => rows.filter((row) => row.tzdata_sensitive).length,
    );
    expect(sensitive).toEqual([34, 15, 17]);
  });
});

describe('rrule.jsonl', () => {
  it('295 rules on the wall clock, which no zone changes', () => {
    for (const row of rrules) expect(idsOf(row), `${row.id} ${row.rule}`).toEqual(row.expected);
  });
});

const files = [
  { name: 'zones.jsonl', rows: zones, check: checkZone },
  { name: 'quiet.jsonl', rows: quiet, check: checkQuiet },
  { name: 'recurring.jsonl', rows: offered, check: checkRecurring },
] as const;

/** Checks the rows of one file and says how many; TypeScript cannot see that a file's check fits its own rows. */
function checkAll(file: (typeof files)[number], sensitive: boolean, rules: ZoneRules): number {
  const check = file.check as (row: SensitiveRow, rules: ZoneRules) => void;
  const rows = (file.rows as readonly SensitiveRow[]).filter((row) => row.tzdata_sensitive === sensitive);
  for (const row of rows) check(row, rules);
  return rows.length;
}

describe.each(completeRuleSets().map((rules) => [`${rules.source}, ${rules.version}`, rules] as const))(
  'under %s',
  (_name, rules) => {
    for (const file of files) {
      const sensitive = file.rows.filter((row) => row.tzdata_sensitive);
      it(`${file.name}: ${file.rows.length - sensitive.length} rows that any release answers alike`, () => {
        expect(checkAll(file, false, rules)).toBe(file.rows.length - sensitive.length);
      });
      // Older rules give another answer, rightly; these rows run below under 2026f on every machine.
      it.skipIf(isOlder(rules.version, '2026f'))(
        `${file.name}: ${sensitive.length} rows of release 2026f`,
        () => {
          expect(checkAll(file, true, rules)).toBe(sensitive.length);
        },
      );
    }
  },
);

describe('under the zones of release 2026f kept here', () => {
  it.each(files)('$name: the rows that need that release', (file) => {
    expect(checkAll(file, true, rulesOf2026f())).toBeGreaterThanOrEqual(15);
  });
});
