// Which RRULEs are taken (campaign-events.md, "recurrence"): every part is checked here, so that whatever is taken can be
// expanded.
import { DAY_MS, parseLocal } from '../../../zone-rules/civil.js';
import type { LocalMs } from '../../../zone-rules/civil.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { ZoneOffsets } from '../../../zone-rules/zone-offsets.js';

export interface RecurrenceRule {
  /** The rule without UNTIL, upper case, its parts in the publisher's order. */
  readonly text: string;
  readonly parts: Readonly<Record<string, string>>;
  readonly untilText: string | null;
}

export type ParsedRecurrence =
  | { readonly kind: 'rule'; readonly rule: RecurrenceRule }
  | { readonly kind: 'refused'; readonly reason: string };

const FREQUENCIES = ['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];

/** Each part's form; numbers are checked against their bounds after it. */
const PARTS: Readonly<Record<string, RegExp>> = {
  FREQ: /^[A-Z]+$/,
  INTERVAL: /^\d{1,3}$/,
  COUNT: /^\d{1,6}$/,
  UNTIL: /^\d{8}(?:T\d{6}Z?)?$/,
  WKST: /^(?:MO|TU|WE|TH|FR|SA|SU)$/,
  BYDAY: /^(?:[+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)(?:,(?:[+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)){0,20}$/,
  BYMONTH: numbers(),
  BYMONTHDAY: numbers(),
  BYYEARDAY: numbers(),
  BYWEEKNO: numbers(),
  BYHOUR: numbers(),
  BYMINUTE: numbers(),
  BYSETPOS: numbers(),
};

const BOUNDS: Readonly<Record<string, readonly [low: number, high: number]>> = {
  INTERVAL: [1, 999],
  COUNT: [1, 100_000],
  BYMONTH: [1, 12],
  BYMONTHDAY: [-31, 31],
  BYYEARDAY: [-366, 366],
  BYWEEKNO: [-53, 53],
  BYHOUR: [0, 23],
  BYMINUTE: [0, 59],
  BYSETPOS: [-366, 366],
};

/** RFC 5545 §3.3.10: the parts that a frequency MUST NOT have, and those whose meaning we leave to other rules. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  HOURLY: ['BYHOUR', 'BYWEEKNO', 'BYSETPOS'],
  DAILY: ['BYYEARDAY', 'BYWEEKNO', 'BYSETPOS'],
  WEEKLY: ['BYMONTHDAY', 'BYYEARDAY', 'BYWEEKNO'],
  MONTHLY: ['BYYEARDAY', 'BYWEEKNO'],
  YEARLY: [],
};

function numbers(): RegExp {
  return /^[+-]?\d{1,3}(?:,[+-]?\d{1,3}){0,60}$/;
}

/**
 * Reads `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. Rules finer than an hour, what RFC 5545 forbids, and DTSTART, EXDATE or RDATE
 * are refused. What is taken can be expanded without a throw; whether it ever fires depends on its start.
 */
export function parseRecurrence(text: string): ParsedRecurrence {
  const refused = (reason: string): ParsedRecurrence => ({ kind: 'refused', reason });
  const parts: Record<string, string> = {};
  for (const part of text.toUpperCase().split(';')) {
    const [name = '', value = '', ...rest] = part.split('=');
    const form = Object.hasOwn(PARTS, name) ? PARTS[name] : undefined;
    if (form === undefined) return refused(`${name === '' ? 'an empty part' : name} is not taken`);
    if (Object.hasOwn(parts, name)) return refused(`${name} stands twice`);
    if (rest.length > 0 || !form.test(value) || !withinBounds(name, value))
      return refused(`${part} is not possible`);
    parts[name] = value;
  }
  const reason = frequencyFault(parts) ?? ordinalFault(parts);
  if (reason !== undefined) return refused(reason);
  const rest = Object.entries(parts).filter(([name]) => name !== 'UNTIL');
  const rule = {
    text: rest.map((part) => part.join('=')).join(';'),
    parts,
    untilText: parts['UNTIL'] ?? null,
  };
  return { kind: 'rule', rule };
}

function withinBounds(name: string, value: string): boolean {
  const bounds = BOUNDS[name];
  if (bounds === undefined) return true;
  const [low, high] = bounds;
  return value
    .split(',')
    .every((part) => Number(part) >= low && Number(part) <= high && (low >= 0 || Number(part) !== 0));
}

type Parts = Readonly<Record<string, string>>;

/** What parts cannot stand together. */
function frequencyFault(parts: Parts): string | undefined {
  const frequency = parts['FREQ'] ?? '';
  if (!FREQUENCIES.includes(frequency)) return `FREQ must be one of ${FREQUENCIES.join(', ')}`;
  if (parts['COUNT'] !== undefined && parts['UNTIL'] !== undefined)
    return 'COUNT and UNTIL exclude each other';
  const without = WITHOUT[frequency]?.find((name) => parts[name] !== undefined);
  if (without !== undefined) return `${without} is not taken with FREQ=${frequency}`;
  const positions = parts['BYSETPOS'];
  if (positions === undefined) return undefined;
  const among = Object.keys(parts).some((name) => name.startsWith('BY') && name !== 'BYSETPOS');
  if (!among) return `BYSETPOS=${positions} picks among what another BY part yields: there is none`;
  const beyond = frequency === 'WEEKLY' && positions.split(',').some((n) => Math.abs(Number(n)) > 7);
  return beyond ? `BYSETPOS=${positions} is beyond the week of FREQ=WEEKLY` : undefined;
}

/** RFC 5545 §3.3.10: `2MO` is the second Monday of a month or year, nothing with any other frequency. */
function ordinalFault(parts: Parts): string | undefined {
  const { FREQ: frequency = '', BYDAY: days = '', BYMONTH: months, BYWEEKNO: weeks } = parts;
  const numbered = days.split(',').filter((day) => /\d/.test(day));
  const [first] = numbered;
  if (first === undefined) return undefined;
  if (frequency !== 'MONTHLY' && frequency !== 'YEARLY')
    return `BYDAY with a number (${first}) is not taken with FREQ=${frequency}`;
  if (weeks !== undefined) return `BYDAY with a number (${first}) is not taken with BYWEEKNO`;
  const most = frequency === 'MONTHLY' || months !== undefined ? 5 : 53;
  const wrong = numbered.find((day) => {
    const n = Math.abs(Number.parseInt(day, 10));
    return n < 1 || n > most;
  });
  const of = most === 5 ? 'a month' : 'a year';
  return (
    wrong &&
    `BYDAY=${wrong} is not possible with FREQ=${frequency}: ${of} has the 1st to the ${most}th, or −1 to −${most} from its end`
  );
}

/** When a rule ends: `local` on its own clock; `instant` where UNTIL is in UTC, and then it alone decides. */
export interface RuleEnd {
  readonly local: LocalMs;
  readonly instant?: EpochMs;
}

/**
 * UNTIL on the rule's wall clock: a wall time as it is, a date as its last second, and UTC read off the clock of
 * `table`; undefined for UTC where there is no one clock (`zone: "recipient"`) and for a date that does not exist.
 */
export function untilOf(rule: RecurrenceRule, table: ZoneOffsets | undefined): RuleEnd | null | undefined {
  const text = rule.untilText;
  if (text === null) return null;
  const time = text.length > 8 ? text.slice(9, 15) : '235959';
  const [date, clock] = [text.slice(0, 8), time].map((digits) => digits.match(/\d\d/g) ?? []);
  const [century = '', year = '', month = '', day = ''] = date ?? [];
  const local = parseLocal(`${century}${year}-${month}-${day}T${(clock ?? []).join(':')}`);
  if (local === undefined || !text.endsWith('Z')) return local === undefined ? undefined : { local };
  const instant: EpochMs = local;
  return table === undefined ? undefined : { local: table.toLocal(instant), instant };
}

/** A first planning refuses a start further back than this: every occurrence since would have to be counted through. */
export const OLDEST_START_MS = 10 * 366 * DAY_MS;
/** Nor one with more occurrences since: a rule by the hour may start two years ago. Measured: 1 µs to expand each. */
export const MOST_PAST_OCCURRENCES = 20_000;

/** At most so many occurrences a day. */
export function mostPerDay({ parts }: RecurrenceRule): number {
  const values = (name: string): number => parts[name]?.split(',').length ?? 1;
  const hours =
    parts['FREQ'] === 'HOURLY' ? Math.ceil(24 / Number(parts['INTERVAL'] ?? 1)) : values('BYHOUR');
  return hours * values('BYMINUTE');
}
