// A report over many campaigns: first the totals of all rows, then the rows by one or two keys, a page or all of them. Beside each
// row may stand the row of another filter with the same keys. One statement reads all of it, so that both sides are of one moment
// and are paged together (reports.md, "Over many campaigns"). summary.store.ts and lateness.store.ts have the figures of a row.
import { cursorPages } from '../../../platform/database/cursor-pages.js';
import type { Sql } from '../../../platform/database/database.js';
import {
  pageIn,
  parametersOf,
  placeParameters,
  REPORT_ROWS,
  type GroupKey,
  type Key,
  type ReportAsk,
  type ReportFilter,
  type RowPlace,
} from './grouped-rows.js';

export interface GroupedReport<Found extends object, Figures> {
  /**
   * Further relations of a WITH, after REPORT_ROWS, with minutes moved `laterHours` later. The last one, `counted`, has k1, k2,
   * planned, whole (true: not a row, but the totals of all rows), and the columns of Found.
   */
  readonly relationsOf: (ask: Pick<ReportAsk, 'by' | 'filter'>, laterHours: number) => string;
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

type RelationsOf = GroupedReport<never, unknown>['relationsOf'];

function queryOf(
  relationsOf: RelationsOf,
  ask: Pick<ReportAsk, 'by' | 'filter'>,
  laterHours: number,
): string {
  const at = ask.by.indexOf('campaign') + 1;
  const [names, join] =
    at === 0
      ? ['null as campaign_id, null as name', '']
      : ['k.campaign_id, k.name', `left join campaign k on k.id = c.k${at}::uuid`];
  return `
with ${REPORT_ROWS},${relationsOf(ask, laterHours)}
select * from (select c.*, ${names} from counted c ${join}) r`;
}

export interface RowPage {
  readonly after: RowPlace | undefined;
  readonly limit: number;
}

/** The totals, then a page of rows. It includes rows that only the other side has. */
function pageQuery(
  relationsOf: RelationsOf,
  { by, filter, order, against }: ReportAsk,
  { after, limit }: RowPage,
): readonly [text: string, parameters: readonly unknown[]] {
  const parameters = [...parametersOf(filter), ...placeParameters(after, limit)];
  const own = queryOf(relationsOf, { by, filter }, 0);
  if (against === undefined) return [`${own} ${pageIn(order)}`, parameters];
  const other = renumbered(queryOf(relationsOf, { by, filter: against.filter }, against.laterHours));
  const beside = `
select * from (
  select coalesce(o.k1, c.k1) as k1, coalesce(o.k2, c.k2) as k2, coalesce(o.planned, 0) as planned,
         coalesce(o.whole, c.whole) as whole, to_jsonb(o) as own, to_jsonb(c) as compared
    from (${own}) o full join (${other}) c
      on o.whole = c.whole and coalesce(o.k1, '') = coalesce(c.k1, '') and coalesce(o.k2, '') = coalesce(c.k2, '')) r ${pageIn(order)}`;
  return [beside, [...parameters, ...parametersOf(against.filter)]];
}

/** The rows of a page, and the own side's totals of all rows. */
export async function groupedPage<Found extends object, Figures>(
  sql: Sql,
  report: GroupedReport<Found, Figures>,
  ask: ReportAsk,
  page: RowPage,
): Promise<{ readonly totals: Figures; readonly rows: readonly GroupedRow<Figures>[] }> {
  const found = await sql.query<FoundRow<Found>>(...pageQuery(report.relationsOf, ask, page));
  const whole = found.find((row) => row.whole);
  return { totals: report.figuresOf(whole ? sidesOf(whole).own : null), rows: rowsOf(report, ask.by, found) };
}

/** The totals of all rows that the filter takes. */
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
  const all = pageQuery(report.relationsOf, ask, { after: undefined, limit: Number.MAX_SAFE_INTEGER });
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
