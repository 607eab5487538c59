// Which RRULEs are taken (campaign-events.md, "recurrence"): every part is checked here, so that whatever is taken can be
// expanded.
import { DAY_MS, parseLocal } from '../../../zone-rules/civil.js';
import type { LocalMs } from '../../../zone-rules/civil.js';
import type { EpochMs } from '../../../zone-rules/zone-rules.js';
import type { ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import { shown } from '../shown-value.js';

export interface RecurrenceRule {
  readonly parts: Readonly<Record<string, string>>;
  readonly untilText: string | null;
}

export type ParsedRecurrence =
  | { readonly kind: 'rule'; readonly rule: RecurrenceRule }
  /** `reason` shows the part as it was sent, and what is taken in its place. */
  | { readonly kind: 'refused'; readonly reason: string };

export const RULE_EXAMPLE = 'FREQ=WEEKLY;BYDAY=MO;COUNT=10';

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

/** What each part takes, with an example, for whoever sent something else. */
const TAKES: Readonly<Record<string, string>> = {
  FREQ: `one of ${FREQUENCIES.join(', ')}, such as FREQ=WEEKLY`,
  INTERVAL: '1 to 999, such as INTERVAL=2',
  COUNT: '1 to 100000, such as COUNT=10',
  UNTIL: 'a date, a wall time, or UTC with a Z, such as UNTIL=20270630 or UNTIL=20270630T090000',
  WKST: 'MO to SU, such as WKST=SU',
  BYDAY: 'MO to SU, in a MONTHLY or YEARLY rule also numbered, such as BYDAY=MO,WE or BYDAY=-1FR',
  BYMONTH: '1 to 12, such as BYMONTH=3,9',
  BYMONTHDAY: '1 to 31, or -1 to -31 from the end, such as BYMONTHDAY=1,-1',
  BYYEARDAY: '1 to 366, or -1 to -366 from the end, such as BYYEARDAY=100',
  BYWEEKNO: '1 to 53, or -1 to -53 from the end, such as BYWEEKNO=20',
  BYHOUR: '0 to 23, such as BYHOUR=9,18',
  BYMINUTE: '0 to 59, such as BYMINUTE=0,30',
  BYSETPOS: '1 to 366, or -1 to -366 from the end, such as BYSETPOS=-1',
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
  const sent: Record<string, string> = {};
  const parts: Record<string, string> = {};
  for (const part of text.split(';')) {
    const [name = '', value = '', ...rest] = part.toUpperCase().split('=');
    if (!Object.hasOwn(PARTS, name)) return refused(unknownPart(part, name));
    if (Object.hasOwn(parts, name))
      return refused(`${name} stands twice, as ${shown(sent[name])} and ${shown(part)}: give it once`);
    if (rest.length > 0 || PARTS[name]?.test(value) !== true || !withinBounds(name, value))
      return refused(notTaken(part, name));
    parts[name] = value;
    sent[name] = part;
  }
  const reason = frequencyFault(parts, sent) ?? ordinalFault(parts, sent);
  return reason === undefined
    ? { kind: 'rule', rule: { parts, untilText: parts['UNTIL'] ?? null } }
    : refused(reason);
}

function refused(reason: string): ParsedRecurrence {
  return { kind: 'refused', reason };
}

function unknownPart(part: string, name: string): string {
  if (part === '')
    return `an empty part is not taken: parts stand between single semicolons, such as ${RULE_EXAMPLE}`;
  if (name.startsWith('RRULE:'))
    return `${shown(part)} is not taken: leave off "RRULE:", as in ${RULE_EXAMPLE}`;
  return `${shown(part)} is not taken: a rule is made of ${Object.keys(PARTS).join(', ')}, such as ${RULE_EXAMPLE}`;
}

function notTaken(part: string, name: string): string {
  return `${shown(part)} is not taken: ${name} takes ${TAKES[name] ?? ''}`;
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

/** What parts cannot stand together; `sent` are those parts as they came. */
function frequencyFault(parts: Parts, sent: Parts): string | undefined {
  const frequency = parts['FREQ'];
  if (frequency === undefined) return `FREQ is required: it takes ${TAKES['FREQ'] ?? ''}`;
  if (!FREQUENCIES.includes(frequency)) return notTaken(sent['FREQ'] ?? '', 'FREQ');
  if (parts['COUNT'] !== undefined && parts['UNTIL'] !== undefined)
    return `${shown(sent['COUNT'])} and ${shown(sent['UNTIL'])} exclude each other: give one of them`;
  const without = WITHOUT[frequency]?.find((name) => parts[name] !== undefined);
  if (without !== undefined) return notBeside(shown(sent[without]), without, frequency);
  const positions = parts['BYSETPOS'];
  if (positions === undefined) return undefined;
  const among = Object.keys(parts).some((name) => name.startsWith('BY') && name !== 'BYSETPOS');
  if (!among) {
    return `${shown(sent['BYSETPOS'])} picks among what another BY part yields, and there is none: give one, such as BYDAY=MO,TU,WE`;
  }
  const beyond = frequency === 'WEEKLY' && positions.split(',').some((n) => Math.abs(Number(n)) > 7);
  return beyond
    ? `${shown(sent['BYSETPOS'])} is beyond the week of FREQ=WEEKLY: it takes 1 to 7, or -1 to -7 from the end, such as BYSETPOS=-1`
    : undefined;
}

/** Names the frequencies that the part may stand beside. */
function notBeside(given: string, name: string, frequency: string): string {
  const taken = FREQUENCIES.filter((one) => WITHOUT[one]?.includes(name) !== true);
  return `${given} is not taken with FREQ=${frequency}, but with ${taken.map((one) => `FREQ=${one}`).join(', ')}`;
}

/** RFC 5545 §3.3.10: `2MO` is the second Monday of a month or year, nothing with any other frequency. */
function ordinalFault(parts: Parts, sent: Parts): string | undefined {
  const { FREQ: frequency = '', BYDAY: days = '', BYMONTH: months, BYWEEKNO: weeks } = parts;
  const numbered = days.split(',').filter((day) => /\d/.test(day));
  if (numbered.length === 0) return undefined;
  const given = shown(sent['BYDAY']);
  if (frequency !== 'MONTHLY' && frequency !== 'YEARLY')
    return `${given} has a number, which is not taken with FREQ=${frequency}, but with FREQ=MONTHLY and FREQ=YEARLY: leave it off, such as BYDAY=MO`;
  if (weeks !== undefined)
    return `${given} has a number, which is not taken beside BYWEEKNO: leave it off, such as BYDAY=MO`;
  const most = frequency === 'MONTHLY' || months !== undefined ? 5 : 53;
  const isWrong = numbered.some((day) => {
    const n = Math.abs(Number.parseInt(day, 10));
    return n < 1 || n > most;
  });
  const of = most === 5 ? 'a month' : 'a year';
  return isWrong
    ? `${given} is not taken with FREQ=${frequency}: ${of} has 1 to ${most} of a weekday, or -1 to -${most} from its end, such as BYDAY=-1FR`
    : undefined;
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
