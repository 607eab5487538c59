// An instant as somebody's clock reads it. The server owns time: a recipient's or a campaign's clock is known by the offset that the server
// tells, and no zone but the browser's own is resolved here. Pure.

/** Whose clock. `mine` is the browser's zone. */
export const CLOCKS = ['mine', 'campaign', 'recipient', 'utc'] as const;
export type ClockName = (typeof CLOCKS)[number];

/** A clock of others as the server tells it: the name of its zone and its offset at the instant, `+09:00`. */
export interface ToldClock {
  readonly zone: string;
  readonly offset: string;
}

/** The clocks that are known beside the two that always are. */
export interface ToldClocks {
  readonly campaign?: ToldClock | undefined;
  readonly recipient?: ToldClock | undefined;
}

export interface Reading {
  readonly clock: ClockName;
  /** `Mon 1 Mar 09:00`, with the year where it is another than now's. */
  readonly text: string;
  /** `Seoul +09:00` */
  readonly zone: string;
}

export interface ReadingOptions {
  readonly locale: string;
  readonly now: number;
  readonly seconds?: boolean | undefined;
}

const MINUTE_MS = 60_000;

/** Minutes east of UTC of `+09:00`, `-03:30` or `Z`; undefined for anything else. */
export function offsetMinutes(offset: string): number | undefined {
  if (offset === 'Z') return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(offset) ?? [];
  if (sign === undefined) return undefined;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}

export function offsetText(minutes: number): string {
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '−' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
}

/** `Asia/Seoul` → `Seoul`; `Etc/GMT+9` keeps what is left of it. */
export const cityOf = (zone: string): string => (zone.split('/').at(-1) ?? zone).replaceAll('_', ' ');

/** The reading on that clock; undefined where nobody told that clock. */
export function readingOn(
  clock: ClockName,
  at: number,
  told: ToldClocks,
  options: ReadingOptions,
): Reading | undefined {
  const found = clockOf(clock, at, told);
  if (found === undefined) return undefined;
  const zone =
    clock === 'utc' || found.zone === 'UTC' ? 'UTC' : `${cityOf(found.zone)} ${offsetText(found.minutes)}`;
  return { clock, text: wallText(at, found.minutes, options), zone };
}

/** On the wanted clock, else on mine. */
export function readingFor(
  wanted: ClockName,
  at: number,
  told: ToldClocks,
  options: ReadingOptions,
): Reading {
  const reading = readingOn(wanted, at, told, options) ?? readingOn('mine', at, told, options);
  if (reading === undefined) throw new Error('my own clock is always known');
  return reading;
}

function clockOf(
  clock: ClockName,
  at: number,
  { campaign, recipient }: ToldClocks,
): { zone: string; minutes: number } | undefined {
  if (clock === 'utc') return { zone: 'UTC', minutes: 0 };
  if (clock === 'mine') return { zone: ownZone(), minutes: -new Date(at).getTimezoneOffset() };
  const told = clock === 'campaign' ? campaign : recipient;
  const minutes = told === undefined ? undefined : offsetMinutes(told.offset);
  return told === undefined || minutes === undefined ? undefined : { zone: told.zone, minutes };
}

/** The browser's. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

function wallText(at: number, minutes: number, { locale, now, seconds = false }: ReadingOptions): string {
  const shifted = at + minutes * MINUTE_MS;
  const isOtherYear =
    new Date(shifted).getUTCFullYear() !== new Date(now + minutes * MINUTE_MS).getUTCFullYear();
  // The offset is applied already, so what is left is formatted as UTC.
  const day = new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    ...(isOtherYear && { year: 'numeric' }),
  }).format(shifted);
  const time = new Intl.DateTimeFormat(locale, {
    timeZone: 'UTC',
    hourCycle: 'h23',
    hour: '2-digit',
    minute: '2-digit',
    ...(seconds && { second: '2-digit' }),
  }).format(shifted);
  return `${day.replace(/,/g, '')} ${time}`;
}
