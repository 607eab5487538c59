// Answers as CSV by RFC 4180: CRLF, quotes doubled. Text that a spreadsheet would run as a formula gets a leading apostrophe; numbers
// are written as they are. Pure.
import { z } from 'zod';

export const CSV = 'text/csv; charset=utf-8';

/** A member of a query's schema. */
export const format = z.enum(['json', 'csv']).optional().describe('Overrides the header Accept');

/** A member of a query's schema. Excel reads a file without a byte order mark in its own encoding. */
export const bom = z
  .enum(['true', 'false'])
  .optional()
  .describe('true: CSV begins with a byte order mark, by which Excel recognizes UTF-8');

/** What CSV begins with, where it is asked for. */
export const BYTE_ORDER_MARK = '\uFEFF';

/** Whether the caller asks for CSV: by `?format=csv`, else by name in Accept. The accept-all of browsers and curl gets JSON. */
export function wantsCsv(accept = '', asked?: z.output<typeof format>): boolean {
  if (asked !== undefined) return asked === 'csv';
  return accept.split(',').some((part) => part.split(';')[0]?.trim().toLowerCase() === 'text/csv');
}

export type CsvValue = string | number | boolean | null | undefined;

/** Each column's header, and its value in a row. */
export type Columns<Row> = readonly (readonly [header: string, of: (row: Row) => CsvValue])[];

/** A spreadsheet runs text that begins so as a formula, except an offset from UTC. It may strip a tab or a return before. */
const FORMULA = /^(?![+-]\d\d:\d\d(?::\d\d)?$)[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export const csvLine = (values: readonly CsvValue[]): string => `${values.map(csvCell).join(',')}\r\n`;

/** A line of headers, then a line for each row of all pages. */
export async function* csvLines<Row>(
  columns: Columns<Row>,
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string, void, void> {
  yield csvLine(columns.map(([header]) => header));
  for await (const page of pages) yield page.map((row) => csvLine(columns.map(([, of]) => of(row)))).join('');
}
