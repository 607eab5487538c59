// A second reading of RFC 5545 §3.3.10, to check ours against: every day from the start's period on is looked at, and
// "the second Monday" is the second of a list of Mondays. Slow and plain; shares nothing with the code it checks.

const DAY = 86_400_000;
const WEEKDAYS = ['SU', 'MO', 'TU', 'WE', 'TH', 'FR', 'SA'];

/** The last period is looked at to its end: positions count from there too. */
const PERIOD_DAYS: Readonly<Record<string, number>> = { YEARLY: 366, MONTHLY: 31, WEEKLY: 7 };

/** The rule's wall times from `start` to `limit`, both as milliseconds on the same clock. */
export function naiveRrule(text: string, start: number, limit: number): number[] {
  const parts = new Map(text.split(';').map((part) => part.split('=') as [string, string]));
  const periods = new Map<string, number[]>();
  const beyond = PERIOD_DAYS[parts.get('FREQ') ?? ''] ?? 0;
  for (let day = startOfDay(firstDay(parts, start)); day <= limit + beyond * DAY; day += DAY) {
    const key = periodOf(parts, day);
    const members = periods.get(key) ?? [];
    if (dayMatches(parts, day, start)) members.push(...timesOf(parts, day, start));
    periods.set(key, members);
  }
  const interval = parts.get('FREQ') === 'HOURLY' ? 1 : Number(parts.get('INTERVAL') ?? 1);
  const found = [...periods.values()]
    .filter((_members, index) => index % interval === 0)
    .flatMap((members) => picked(parts, members))
    .filter((local) => local >= start)
    .slice(0, Number(parts.get('COUNT') ?? Infinity));
  return found.filter((local) => local <= limit);
}

type Parts = ReadonlyMap<string, string>;

const startOfDay = (local: number): number => Math.floor(local / DAY) * DAY;
const numbers = (parts: Parts, name: string): number[] | undefined => parts.get(name)?.split(',').map(Number);
const yearOf = (day: number): number => new Date(day).getUTCFullYear();
const monthOf = (day: number): number => new Date(day).getUTCMonth();
const nameOf = (day: number): string => WEEKDAYS[new Date(day).getUTCDay()] ?? '';

function firstDay(parts: Parts, start: number): number {
  const frequency = parts.get('FREQ');
  if (frequency === 'YEARLY') return Date.UTC(yearOf(start), 0, 1);
  if (frequency === 'MONTHLY') return Date.UTC(yearOf(start), monthOf(start), 1);
  return frequency === 'WEEKLY' ? weekStart(parts, startOfDay(start)) : start;
}

function weekStart(parts: Parts, day: number): number {
  let first = day;
  while (nameOf(first) !== (parts.get('WKST') ?? 'MO')) first -= DAY;
  return first;
}

function periodOf(parts: Parts, day: number): string {
  const frequency = parts.get('FREQ');
  if (frequency === 'YEARLY') return String(yearOf(day));
  if (frequency === 'MONTHLY') return `${yearOf(day)}-${monthOf(day)}`;
  return String(frequency === 'WEEKLY' ? weekStart(parts, day) : day);
}

/** Whether `n` counts `day` among `days`, from their end where negative. */
const isNth = (days: readonly number[], n: number, day: number): boolean =>
  days.at(n > 0 ? n - 1 : n) === day && Math.abs(n) <= days.length;

const lists = new Map<string, readonly number[]>();

/** The days of a month, or without one of a year; with a weekday's name those alone. Kept, for they are asked for daily. */
function daysOf(year: number, month?: number, name?: string): readonly number[] {
  const key = `${year} ${month} ${name}`;
  const known = lists.get(key);
  if (known !== undefined) return known;
  const end = month === undefined ? Date.UTC(year + 1, 0, 1) : Date.UTC(year, month + 1, 1);
  const days: number[] = [];
  for (let day = Date.UTC(year, month ?? 0, 1); day < end; day += DAY)
    if (name === undefined || nameOf(day) === name) days.push(day);
  lists.set(key, days);
  return days;
}

function dayMatches(parts: Parts, day: number, start: number): boolean {
  const has = (...names: string[]): boolean => names.some((name) => parts.has(name));
  const frequency = parts.get('FREQ');
  const date = new Date(day);
  const from = new Date(start);
  if (has('BYMONTH') && !numbers(parts, 'BYMONTH')?.includes(date.getUTCMonth() + 1)) return false;
  if (
    !numbers(parts, 'BYMONTHDAY')?.some((n) => isNth(daysOf(yearOf(day), monthOf(day)), n, day)) &&
    has('BYMONTHDAY')
  )
    return false;
  if (has('BYYEARDAY')) {
    const days = daysOf(yearOf(day));
    if (!numbers(parts, 'BYYEARDAY')?.some((n) => isNth(days, n, day))) return false;
  }
  if (has('BYWEEKNO') && !numbers(parts, 'BYWEEKNO')?.some((n) => inWeek(parts, n, day))) return false;
  if (has('BYDAY')) return (parts.get('BYDAY') ?? '').split(',').some((by) => byDay(parts, by, day));
  // What the rule leaves open is as the start has it.
  if (has('BYMONTHDAY', 'BYYEARDAY') || frequency === 'DAILY' || frequency === 'HOURLY') return true;
  if (frequency === 'WEEKLY' || has('BYWEEKNO')) return nameOf(day) === nameOf(start);
  if (date.getUTCDate() !== from.getUTCDate()) return false;
  return frequency === 'MONTHLY' || has('BYMONTH') || date.getUTCMonth() === from.getUTCMonth();
}

/** Weeks that have most of their days in a year are that year's. */
function inWeek(parts: Parts, n: number, day: number): boolean {
  const middle = weekStart(parts, day) + 3 * DAY;
  const middles = daysOf(yearOf(middle), undefined, nameOf(middle));
  return isNth(middles, n, middle);
}

function byDay(parts: Parts, by: string, day: number): boolean {
  if (nameOf(day) !== by.slice(-2)) return false;
  if (by.length === 2) return true;
  const ofMonth = parts.get('FREQ') === 'MONTHLY' || parts.has('BYMONTH');
  const among = daysOf(yearOf(day), ofMonth ? monthOf(day) : undefined, nameOf(day));
  return isNth(among, Number.parseInt(by, 10), day);
}

function timesOf(parts: Parts, day: number, start: number): number[] {
  const hourly = parts.get('FREQ') === 'HOURLY';
  const interval = Number(parts.get('INTERVAL') ?? 1);
  const from = new Date(start);
  const hours = hourly ? undefined : (numbers(parts, 'BYHOUR') ?? [from.getUTCHours()]);
  const minutes = numbers(parts, 'BYMINUTE') ?? [from.getUTCMinutes()];
  const startHour = Math.floor(start / 3_600_000);
  const times: number[] = [];
  for (let hour = 0; hour < 24; hour += 1) {
    const fits = hours?.includes(hour) ?? (day / 3_600_000 + hour - startHour) % interval === 0;
    if (!fits) continue;
    for (let minute = 0; minute < 60; minute += 1)
      if (minutes.includes(minute)) times.push(day + hour * 3_600_000 + minute * 60_000 + (start % 60_000));
  }
  return times;
}

function picked(parts: Parts, members: readonly number[]): readonly number[] {
  const positions = numbers(parts, 'BYSETPOS');
  return positions === undefined
    ? members
    : members.filter((local) => positions.some((n) => isNth(members, n, local)));
}
