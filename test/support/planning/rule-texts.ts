// Recurrence rules for generated tests, of every part that is taken.
import fc from 'fast-check';

const number = (low: number, high: number): fc.Arbitrary<string> =>
  fc.integer({ min: low, max: high }).map(String);
const list = (low: number, high: number, most = 4): fc.Arbitrary<string> =>
  fc.array(number(low, high), { minLength: 1, maxLength: most }).map((values) => values.join(','));
/** From either end, never zero. */
const fromEither = (high: number, most = 4): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.boolean(), fc.integer({ min: 1, max: high })), { minLength: 1, maxLength: most })
    .map((values) => values.map(([back, n]) => (back ? -n : n)).join(','));
const weekday = fc.constantFrom('MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU');
const days = (most: number): fc.Arbitrary<string> =>
  fc
    .array(fc.tuple(fc.constantFrom('', '', '-', '+'), fc.integer({ min: 1, max: most }), weekday), {
      minLength: 1,
      maxLength: 4,
    })
    .map((values) => values.map(([sign, n, name]) => (sign === '' ? name : `${sign}${n}${name}`)).join(','));
const plainDays = fc.array(weekday, { minLength: 1, maxLength: 4 }).map((names) => names.join(','));

const COMMON = {
  INTERVAL: fc.oneof(number(1, 4), number(1, 40)),
  COUNT: number(1, 40),
  UNTIL: fc.constantFrom('20260101', '20280302T090000', '20300101T000000'),
  WKST: weekday,
  BYMONTH: list(1, 12),
  BYMINUTE: list(0, 59),
};
const ANY_DAY = { BYDAY: plainDays, BYMONTHDAY: fromEither(31) };
const TIMES = { BYHOUR: list(0, 23) };
/** What each frequency takes; combinations that are refused are left to the reader to filter. */
const PARTS: Readonly<Record<string, Readonly<Record<string, fc.Arbitrary<string>>>>> = {
  HOURLY: { ...COMMON, ...ANY_DAY, BYYEARDAY: fromEither(366, 20) },
  DAILY: { ...COMMON, ...ANY_DAY, ...TIMES },
  WEEKLY: { ...COMMON, ...TIMES, BYDAY: plainDays, BYSETPOS: fromEither(7) },
  MONTHLY: { ...COMMON, ...ANY_DAY, ...TIMES, BYDAY: days(5), BYSETPOS: fromEither(10) },
  YEARLY: {
    ...COMMON,
    ...ANY_DAY,
    ...TIMES,
    BYDAY: fc.oneof(days(5), days(53)),
    BYYEARDAY: fromEither(366, 20),
    BYWEEKNO: fromEither(53, 8),
    BYSETPOS: fromEither(10),
  },
};

/** `FREQ=…` and up to five more parts in any order. Most are taken. */
export const recurrenceText: fc.Arbitrary<string> = fc
  .constantFrom(...Object.keys(PARTS))
  .chain((frequency) =>
    fc
      .shuffledSubarray(Object.entries(PARTS[frequency] ?? {}), { maxLength: 5 })
      .chain((parts) => fc.tuple(...parts.map(([name, values]) => values.map((value) => `${name}=${value}`))))
      .map((texts) => [`FREQ=${frequency}`, ...texts].join(';')),
  );
