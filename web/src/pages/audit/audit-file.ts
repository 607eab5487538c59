// The audit as a file: JSON by lines with all of a row, or CSV with what was changed as JSON in its cells. Pure.
import type { AuditRow } from '../../api/access.ts';

const COLUMNS = ['at', 'who', 'action', 'target', 'serviceId', 'before', 'after', 'id'] as const;

/** Excel recognizes UTF-8 by it. */
const BYTE_ORDER_MARK = '\ufeff';

export const auditNdjson = (rows: readonly AuditRow[]): string =>
  rows.map((row) => `${JSON.stringify(row)}\n`).join('');

export const auditCsv = (rows: readonly AuditRow[]): string =>
  BYTE_ORDER_MARK +
  [COLUMNS, ...rows.map((row) => COLUMNS.map((column) => row[column]))]
    .map((cells) => `${cells.map(cellOf).join(',')}\r\n`)
    .join('');

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  // A sheet would work out what begins like a formula.
  const shown = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(shown) ? `"${shown.replaceAll('"', '""')}"` : shown;
}
