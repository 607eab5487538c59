// A report over many campaigns: its rows by one or two keys, a page or all of them, behind what all rows come to; beside each row
// that of another filter by the same keys. All is one statement, so that it is of one moment and pages together (reports.md,
// "Over many campaigns"). What the figures of a row are: summary.store.ts and lateness.store.ts.
import { cursorPages } from '../../../platform/database/cursor-pages.js';
import type { Sql } from '../../../platform/database/database.js';
import {
  pageIn,
  parametersOf,
  placeParameters,
  REPORT_PARTS,
  type GroupKey,
  type Key,
  type ReportAsk,
  type ReportFilter,
  type RowPlace,
} from './grouped-parts.js';

export interface GroupedReport<Found extends object, Figures> {
  /**
   * Parts of a WITH behind REPORT_PARTS, of minutes that many hours later. The last of them, `counted`, has k1, k2, planned and
   * whole (not a row, but what all rows come to), and the columns of Found.
   */
  readonly partsOf: (ask: Pick<ReportAsk, 'by' | 'filter'>, laterHours: number) => string;
  /** null: this side has no such row. */
  readonly figuresOf: (found: Found | null) => Figures;
}

export interface GroupedRow<Figures> {
  readonly key: Key;
  /** Where rows are by campaign, as long as it is known. */
  readonly campaign?: { readonly campaignId: string; readonly name: string | null };
  readonly figures: Figures;
  /** The other side's figures, if a comparison was asked for. */
  readonly compared?: Figures;
  readonly place: RowPlace;
}

/** A side of a row, with the name of the campaign that it is by. */
type Side<Found> = Found & { readonly campaign_id: string | null; readonly name: string | null };

type FoundRow<Found> = {
  readonly k1: string | null;
  readonly k2: string | null;
  readonly planned: number;
  readonly whole: boolean;
} & (Side<Found> | { readonly own: Side<Found> | null; readonly compared: Side<Found> | null });

/** $1 to $8 are the filter's, $9 to $12 the page's. */
const PARAMETERS = 12;

const renumbered = (text: string): string =>
  text.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + PARAMETERS}`);

type PartsOf = GroupedReport<never, unknown>['partsOf'];

function queryOf(partsOf: PartsOf, ask: Pick<ReportAsk, 'by' | 'filter'>, laterHours: number): string {
  const at = ask.by.indexOf('campaign') + 1;
  const [names, join] =
    at === 0
      ? ['null as campaign_id, null as name', '']
      : ['k.campaign_id, k.name', `left join campaign k on k.id = c.k${at}::uuid`];
  return `
with ${REPORT_PARTS},${partsOf(ask, laterHours)}
select * from (select c.*, ${names} from counted c ${join}) r`;
}

export interface RowPage {
  readonly after: RowPlace | undefined;
  readonly limit: number;
}

/** A page of rows behind their whole. A row that the other side alone has is there all the same. */
function pageQuery(
  partsOf: PartsOf,
  { by, filter, order, against }: ReportAsk,
  { after, limit }: RowPage,
): readonly [text: string, parameters: readonly unknown[]] {
  const parameters = [...parametersOf(filter), ...placeParameters(after, limit)];
  const own = queryOf(partsOf, { by, filter }, 0);
  if (against === undefined) return [`${own} ${pageIn(order)}`, parameters];
  const other = renumbered(queryOf(partsOf, { by, filter: against.filter }, against.laterHours));
  const beside = `
select * from (
  select coalesce(o.k1, c.k1) as k1, coalesce(o.k2, c.k2) as k2, coalesce(o.planned, 0) as planned,
         coalesce(o.whole, c.whole) as whole, to_jsonb(o) as own, to_jsonb(c) as compared
    from (${own}) o full join (${other}) c
      on o.whole = c.whole and coalesce(o.k1, '') = coalesce(c.k1, '') and coalesce(o.k2, '') = coalesce(c.k2, '')) r ${pageIn(order)}`;
  return [beside, [...parameters, ...parametersOf(against.filter)]];
}

/** The rows of a page, and what all rows come to on the own side. */
export async function groupedPage<Found extends object, Figures>(
  sql: Sql,
  report: GroupedReport<Found, Figures>,
  ask: ReportAsk,
  page: RowPage,
): Promise<{ readonly totals: Figures; readonly rows: readonly GroupedRow<Figures>[] }> {
  const found = await sql.query<FoundRow<Found>>(...pageQuery(report.partsOf, ask, page));
  const whole = found.find((row) => row.whole);
  return { totals: report.figuresOf(whole ? sidesOf(whole).own : null), rows: rowsOf(report, ask.by, found) };
}

/** What all rows that the filter takes come to. */
export async function groupedTotals<Found extends object, Figures>(
  sql: Sql,
  report: GroupedReport<Found, Figures>,
  filter: ReportFilter,
): Promise<Figures> {
  const ask: ReportAsk = { by: [], filter, order: 'key' };
  return (await groupedPage(sql, report, ask, { after: undefined, limit: 0 })).totals;
}

/** All rows, in pages; `sql` is a transaction that sees one moment. */
export async function* groupedRows<Found extends object, Figures>(
  sql: Sql,
  report: GroupedReport<Found, Figures>,
  ask: ReportAsk,
): AsyncGenerator<readonly GroupedRow<Figures>[], void, void> {
  const all = pageQuery(report.partsOf, ask, { after: undefined, limit: Number.MAX_SAFE_INTEGER });
  for await (const page of cursorPages<FoundRow<Found>>(sql, ...all, 500)) yield rowsOf(report, ask.by, page);
}

function rowsOf<Found extends object, Figures>(
  { figuresOf }: GroupedReport<Found, Figures>,
  by: readonly GroupKey[],
  found: readonly FoundRow<Found>[],
): GroupedRow<Figures>[] {
  return found
    .filter((row) => !row.whole)
    .map((row) => {
      const { k1, k2, planned } = row;
      const { own, compared } = sidesOf(row);
      const { campaign_id: campaignId = null, name = null } = own ?? compared ?? {};
      return {
        key: Object.fromEntries(by.map((key, index) => [key, index === 0 ? k1 : k2])),
        ...(campaignId !== null && { campaign: { campaignId, name } }),
        figures: figuresOf(own),
        ...(compared !== undefined && { compared: figuresOf(compared) }),
        place: { k1: k1 ?? '', k2: k2 ?? '', planned },
      };
    });
}

/** null: that side has no such row; undefined: no other side was asked for. */
function sidesOf<Found>(row: FoundRow<Found>): {
  readonly own: Side<Found> | null;
  readonly compared: Side<Found> | null | undefined;
} {
  return 'own' in row ? { own: row.own, compared: row.compared } : { own: row, compared: undefined };
}
