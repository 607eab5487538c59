// Prints a list of the API: a table for people, --csv, -q (ids alone), or --json with one object. Reads as many pages as --limit asks for.
import type { z } from 'zod';
import { pageSchema } from '../../platform/http/paging.js';
import { csvLine } from '../../scheduler/report/csv.js';
import type { Api } from './call-api.js';
import { commandClock } from './command-clock.js';
import { print, type JsonOption } from './output.js';
import { relativeTime } from './relative-time.js';
import { callScheduler, schedulerApi } from './scheduler-api.js';
import { styleOfState } from './state-style.js';
import { tableLines, type TableCell } from './table.js';
import { terminal } from './terminal.js';

export interface ListOptions extends JsonOption {
  readonly csv?: true;
  readonly quiet?: true;
  /** How many rows at most. */
  readonly limit: number;
}

/**
 * What a column shows. `instant`: ISO 8601, in a table how far away; `state`: painted by what it means; `cut`: a text that a narrow
 * terminal may cut. CSV has the value as it is.
 */
export interface Column<Row> {
  readonly title: string;
  readonly of: (row: Row) => string | number | boolean | null | undefined;
  readonly as?: 'instant' | 'state' | 'cut';
}

export interface Listing<Row> {
  readonly role: Parameters<typeof schedulerApi>[0]['role'];
  /** Below /v1, with its query. */
  readonly path: string;
  readonly row: z.ZodType<Row>;
  readonly columns: readonly Column<Row>[];
  /** What -q prints of a row. */
  readonly id: (row: Row) => string;
  /** What is said where there are no rows. */
  readonly none: string;
}

const MOST_OF_PAGE = 500;

export async function printList<Row>(listing: Listing<Row>, options: ListOptions): Promise<void> {
  const api = schedulerApi({ role: listing.role });
  printRows(listing, await readRows(api, listing, options.limit), options);
}

export interface Rows<Row> {
  readonly items: readonly Row[];
  /** Where the next row begins; null: these are all. */
  readonly nextCursor: string | null;
}

/** A page may be short: it reads on until it has enough rows, or all. */
export async function readRows<Row>(
  api: Api,
  { path, row }: Pick<Listing<Row>, 'path' | 'row'>,
  limit: number,
): Promise<Rows<Row>> {
  const schema = pageSchema(row);
  const items: Row[] = [];
  let nextCursor: string | null = '';
  while (nextCursor !== null && items.length < limit) {
    const asked = new URLSearchParams({ limit: String(Math.min(MOST_OF_PAGE, limit - items.length)) });
    if (nextCursor !== '') asked.set('cursor', nextCursor);
    const page: z.output<typeof schema> = await callScheduler(
      api,
      `/v1${path}${path.includes('?') ? '&' : '?'}${asked.toString()}`,
      schema,
    );
    items.push(...page.items);
    nextCursor = page.nextCursor;
  }
  return { items, nextCursor };
}

export function printRows<Row>(
  { columns, id, none }: Pick<Listing<Row>, 'columns' | 'id' | 'none'>,
  { items, nextCursor }: Rows<Row>,
  options: ListOptions,
): void {
  if (options.quiet === true) return write(items.map((row) => `${id(row)}\n`).join(''));
  if (options.csv === true) {
    const lines = items.map((row) => csvLine(columns.map(({ of }) => of(row))));
    return write(csvLine(columns.map(({ title }) => title)) + lines.join(''));
  }
  print(options, { items, nextCursor }, items.length === 0 ? none : tableOf(columns, items));
  if (nextCursor !== null && options.json !== true)
    process.stderr.write(`there are more than these ${items.length}: --limit prints more\n`);
}

function write(text: string): void {
  process.stdout.write(text);
}

export function tableOf<Row>(columns: readonly Column<Row>[], rows: readonly Row[]): string {
  const now = commandClock().now();
  const cells = rows.map((row) => columns.map((column) => cellOf(column, row, now)));
  const titles = columns.map(({ title, as }) => ({ title: title.toUpperCase(), cut: as === 'cut' }));
  return tableLines(titles, cells, terminal()).join('\n');
}

function cellOf<Row>({ of, as }: Column<Row>, row: Row, now: number): TableCell {
  const value = of(row) ?? null;
  if (value === null || value === '') return { text: '–', style: 'dim' };
  const text = String(value);
  if (as === 'instant') return { text: relativeTime(Date.parse(text), now) };
  return { text, style: as === 'state' ? styleOfState(text) : undefined };
}

/** `/sends` and `{ state: 'failed' }` as `/sends?state=failed`; what is not given restricts nothing. */
export function withQuery(
  path: string,
  query: Readonly<Record<string, string | number | boolean | undefined>>,
): string {
  const given = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) if (value !== undefined) given.set(name, String(value));
  return given.size === 0 ? path : `${path}?${given.toString()}`;
}
