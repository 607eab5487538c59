// How a report is asked for as CSV: by `?format=csv`, or by Accept where no format is named. Pure.
import { z } from 'zod';

export const CSV = 'text/csv; charset=utf-8';

/** A member of a query's schema. */
export const format = z.enum(['json', 'csv']).optional().describe('Before what Accept says');

/** CSV only where it is named: a browser's or curl's accept-all gets JSON. */
export function wantsCsv(accept = '', asked?: z.output<typeof format>): boolean {
  if (asked !== undefined) return asked === 'csv';
  return accept.split(',').some((part) => part.split(';')[0]?.trim().toLowerCase() === 'text/csv');
}
