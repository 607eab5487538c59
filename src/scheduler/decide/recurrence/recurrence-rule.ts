// Decides which RRULEs are taken (campaign-events.md, "recurrence"). It checks every part, so that a rule that is taken can be
// expanded.
import { DAY_MS, parseLocal, type LocalMs } from '../../../zone-rules/civil.js';
import type { EpochMs, ZoneOffsets } from '../../../zone-rules/zone-offsets.js';
import { shown } from '../quote-value.js';

/** The parts of a rule that parseRecurrence took, by name, as text in upper case. */
export type RuleText = Readonly<Record<string, string>>;

type ParsedRecurrence =
  | { readonly kind: 'rule'; readonly parts: RuleText }
  /** `reason` quotes the part as it was sent, and says what would be taken. */
  | { readonly kind: 'refused'; readonly reason: string };

export const RULE_EXAMPLE = 'FREQ=WEEKLY;BYDAY=MO;COUNT=10';

const FREQUENCIES = ['HOURLY', 'DAILY', 'WEEKLY', 'MONTHLY', 'YEARLY'];

interface PartRule {
  readonly form: RegExp;
  /** The values it takes, with an example, for a publisher who sent something else. */
  readonly takes: string;
  /** The bounds of its numbers. If `low` is negative, 0 is not taken. */
  readonly low?: number;
  readonly high?: number;
}

const NUMBERS = /^[+-]?\d{1,3}(?:,[+-]?\d{1,3}){0,60}$/;

function numbers(low: number, high: number, example: string): PartRule {
  const takes = low < 0 ? `1 to ${high}, or -1 to ${low} from the end` : `${low} to ${high}`;
  return { form: NUMBERS, low, high, takes: `${takes}, such as ${example}` };
}

const PARTS: Readonly<Record<string, PartRule>> = {
  FREQ: { form: /^[A-Z]+$/, takes: `one of ${FREQUENCIES.join(', ')}, such as FREQ=WEEKLY` },
  INTERVAL: { ...numbers(1, 999, 'INTERVAL=2'), form: /^\d{1,3}$/ },
  COUNT: { ...numbers(1, 100_000, 'COUNT=10'), form: /^\d{1,6}$/ },
  UNTIL: {
    form: /^\d{8}(?:T\d{6}Z?)?$/,
    takes: 'a date, a wall time, or UTC with a Z, such as UNTIL=20270630 or UNTIL=20270630T090000',
  },
  WKST: { form: /^(?:MO|TU|WE|TH|FR|SA|SU)$/, takes: 'MO to SU, such as WKST=SU' },
  BYDAY: {
    form: /^(?:[+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)(?:,(?:[+-]?\d{1,2})?(?:MO|TU|WE|TH|FR|SA|SU)){0,20}$/,
    takes: 'MO to SU, in a MONTHLY or YEARLY rule also numbered, such as BYDAY=MO,WE or BYDAY=-1FR',
  },
  BYMONTH: numbers(1, 12, 'BYMONTH=3,9'),
  BYMONTHDAY: numbers(-31, 31, 'BYMONTHDAY=1,-1'),
  BYYEARDAY: numbers(-366, 366, 'BYYEARDAY=100'),
  BYWEEKNO: numbers(-53, 53, 'BYWEEKNO=20'),
  BYHOUR: numbers(0, 23, 'BYHOUR=9,18'),
  BYMINUTE: numbers(0, 59, 'BYMINUTE=0,30'),
  BYSETPOS: numbers(-366, 366, 'BYSETPOS=-1'),
};

/** RFC 5545 §3.3.10: the parts that a frequency MUST NOT have, and parts that we take only with other frequencies. */
const WITHOUT: Readonly<Record<string, readonly string[]>> = {
  HOURLY: ['BYHOUR', 'BYWEEKNO', 'BYSETPOS'],
  DAILY: ['BYYEARDAY', 'BYWEEKNO', 'BYSETPOS'],
  WEEKLY: ['BYMONTHDAY', 'BYYEARDAY', 'BYWEEKNO'],
  MONTHLY: ['BYYEARDAY', 'BYWEEKNO'],
  YEARLY: [],
};

/**
 * Reads `FREQ=WEEKLY;BYDAY=MO;COUNT=10`. Refuses rules finer than an hour, what RFC 5545 forbids, and DTSTART, EXDATE or
 * RDATE. A rule that is taken can be expanded without a throw; whether it ever fires depends on its start.
 */
export function parseRecurrence(text: string): ParsedRecurrence {
  const sent: Record<string, string> = {};
  const parts: Record<string, string> = {};
  for (const part of text.split(';')) {
    const [name = '', value = '', ...rest] = part.toUpperCase().split('=');
    if (!Object.hasOwn(PARTS, name)) return refused(unknownPart(part, name));
    if (Object.hasOwn(parts, name))
      return refused(`${name} stands twice, as ${shown(sent[name])} and ${shown(part)}: give it once`);
    if (rest.length > 0 || !isTaken(name, value)) return refused(notTaken(part, name));
    parts[name] = value;
    sent[name] = part;
  }
  const reason = frequencyFault(parts, sent) ?? ordinalFault(parts, sent);
  return reason === undefined ? { kind: 'rule', parts } : refused(reason);
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
  return `${shown(part)} is not taken: ${name} takes ${PARTS[name]?.takes ?? ''}`;
}

function isTaken(name: string, value: string): boolean {
  const { form, low, high = Infinity } = PARTS[name] ?? {};
  if (form?.test(value) !== true) return false;
  if (low === undefined) return true;
  return value.split(',').every((text) => {
    const number = Number(text);
    return number >= low && number <= high && (low >= 0 || number !== 0);
  });
}

/** Parts that exclude each other. `sent`: the parts as the publisher wrote them. */
function frequencyFault(parts: RuleText, sent: RuleText): string | undefined {
  const frequency = parts['FREQ'];
  if (frequency === undefined) return `FREQ is required: it takes ${PARTS['FREQ']?.takes ?? ''}`;
  if (!FREQUENCIES.includes(frequency)) return notTaken(sent['FREQ'] ?? '', 'FREQ');
  if (parts['COUNT'] !== undefined && parts['UNTIL'] !== undefined)
    return `${shown(sent['COUNT'])} and ${shown(sent['UNTIL'])} exclude each other: give one of them`;
  const without = WITHOUT[frequency]?.find((name) => parts[name] !== undefined);
  if (without !== undefined) return notBeside(shown(sent[without]), without, frequency);
  const positions = parts['BYSETPOS'];
  if (positions === undefined) return undefined;
  if (!Object.keys(parts).some((name) => name.startsWith('BY') && name !== 'BYSETPOS')) {
    return `${shown(sent['BYSETPOS'])} picks among what another BY part yields, and there is none: give one, such as BYDAY=MO,TU,WE`;
  }
  const beyond = frequency === 'WEEKLY' && positions.split(',').some((n) => Math.abs(Number(n)) > 7);
  return beyond
    ? `${shown(sent['BYSETPOS'])} is beyond the week of FREQ=WEEKLY: it takes 1 to 7, or -1 to -7 from the end, such as BYSETPOS=-1`
    : undefined;
}

/** Names the frequencies with which the part is taken. */
function notBeside(given: string, name: string, frequency: string): string {
  const taken = FREQUENCIES.filter((one) => WITHOUT[one]?.includes(name) !== true);
  return `${given} is not taken with FREQ=${frequency}, but with ${taken.map((one) => `FREQ=${one}`).join(', ')}`;
}

/** RFC 5545 §3.3.10: `2MO` is the second Monday of a month or year, nothing with any other frequency. */
function ordinalFault(parts: RuleText, sent: RuleText): string | undefined {
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
  const span = most === 5 ? 'a month' : 'a year';
  return isWrong
    ? `${given} is not taken with FREQ=${frequency}: ${span} has 1 to ${most} of a weekday, or -1 to -${most} from its end, such as BYDAY=-1FR`
    : undefined;
}

/** When a rule ends: `local` on its own clock; `instant` where UNTIL is in UTC, and then only the instant counts. */
interface RuleEnd {
  readonly local: LocalMs;
  readonly instant?: EpochMs;
}

/**
 * UNTIL on the rule's wall clock: a wall time as it is, a date as its last second, and UTC converted by the clock of
 * `table`. Null for a rule without UNTIL. Undefined for UTC where there is no single clock (`zone: "recipient"`), and for a
 * date that does not exist.
 */
export function untilOf(
  { UNTIL: text }: RuleText,
  table: ZoneOffsets | undefined,
): RuleEnd | null | undefined {
  if (text === undefined) return null;
  const time = text.length > 8 ? text.slice(9, 15) : '235959';
  const [date, clock] = [text.slice(0, 8), time].map((digits) => digits.match(/\d\d/g) ?? []);
  const [century = '', year = '', month = '', day = ''] = date ?? [];
  const local = parseLocal(`${century}${year}-${month}-${day}T${(clock ?? []).join(':')}`);
  if (local === undefined || !text.endsWith('Z')) return local === undefined ? undefined : { local };
  const instant: EpochMs = local;
  return table === undefined ? undefined : { local: table.toLocal(instant), instant };
}

/** A first planning refuses a start further back than this, because every occurrence since then would have to be counted. */
export const OLDEST_START_MS = 10 * 366 * DAY_MS;
/** It also refuses a start with more occurrences since then: an hourly rule may start two years ago. Measured: 1 µs to expand each. */
export const MOST_PAST_OCCURRENCES = 20_000;

/** The most occurrences that a rule can have a day. */
export function mostPerDay(parts: RuleText): number {
  const values = (name: string): number => parts[name]?.split(',').length ?? 1;
  const hours =
    parts['FREQ'] === 'HOURLY' ? Math.ceil(24 / Number(parts['INTERVAL'] ?? 1)) : values('BYHOUR');
  return hours * values('BYMINUTE');
}
