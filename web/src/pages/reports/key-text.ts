// The keys of a row of a report in words. `null` is a key that the row does not have, such as the due of a standing message.
import type { Texts } from '../../i18n/text.ts';
import { readingFor, type ClockName } from '../../parts/time/reading.ts';
import type { ReportKey } from './reports-search.ts';

export interface KeyedRow {
  readonly key: Readonly<Record<string, string | null>>;
  readonly campaign?: { readonly campaignId: string; readonly name: string | null };
}

export interface KeyWords {
  readonly text: Texts;
  readonly clock: ClockName;
  readonly now: number;
}

export function keyText(key: ReportKey, row: KeyedRow, words: KeyWords): string {
  const value = row.key[key] ?? null;
  const { text } = words;
  if (value === null) return text(key === 'code' ? 'reports.noCode' : 'reports.noDue');
  if (key === 'hour') {
    return readingFor(words.clock, Date.parse(value), {}, { locale: text.locale, now: words.now }).text;
  }
  if (key === 'day') return dayText(value, text.locale);
  if (key === 'localHour') return `${value}:00`;
  if (key === 'campaign') return row.campaign?.name ?? row.campaign?.campaignId ?? value;
  if (key === 'mode') return text.word(`mode.${value}`, value);
  if (key === 'code') return text.word(`code.${value}`, value);
  return value === 'all' ? text('reports.notSplit') : value;
}

/** A day of UTC, which is how the sums are kept. */
function dayText(day: string, locale: string): string {
  const options = { timeZone: 'UTC', weekday: 'short', day: 'numeric', month: 'short' } as const;
  return new Intl.DateTimeFormat(locale, options).format(Date.parse(day)).replace(/,/g, '');
}
