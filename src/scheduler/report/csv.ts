// Rows as CSV after RFC 4180: CRLF, quotes doubled. Text that a spreadsheet would run as a formula is made text by a
// leading apostrophe; numbers are written as they are. Pure.

export type CsvValue = string | number | boolean | null | undefined;

/** Cells that begin so are formulas to a spreadsheet, but for an offset from UTC; a tab or a return may be stripped before. */
const FORMULA = /^(?![+-]\d\d:\d\d(?::\d\d)?$)[=+\-@\t\r]/;
const NEEDS_QUOTES = /[",\r\n]/;

export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return '';
  if (typeof value !== 'string') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function csvLine(values: readonly CsvValue[]): string {
  return `${values.map(csvCell).join(',')}\r\n`;
}
